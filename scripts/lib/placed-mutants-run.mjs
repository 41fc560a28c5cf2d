// Makes each change of placed-mutants.mjs alone, in a copy of the sources, and runs the tests of its crate: says which test found it. Called by scripts/mutants.
// Arguments: the copy's directory, then words of which the change's sentence or file must hold one (none: all). Fails where a change is found by no test.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import placed from "./placed-mutants.mjs";

const [copy, ...words] = process.argv.slice(2);
const wanted = placed.filter(({ what, file }) => words.length === 0 || words.some((word) => `${what} ${file}`.includes(word)));
// Unoptimised, each change is built in a few seconds; most tests take none.
const slow = ["rules", "seal"].flatMap((crate) => ["--config", `profile.dev.package.${crate}.opt-level=0`]);

/** The outcome of a crate's tests: null where they pass, else the names of those that fail. */
function failing(crate) {
  const args = ["test", "--quiet", "--locked", "-p", crate, ...slow];
  const run = spawnSync("cargo", args, { cwd: copy, encoding: "utf8", maxBuffer: 1 << 28 });
  if (run.error) throw run.error;
  if (run.status === 0) return null;
  const out = `${run.stdout}${run.stderr}`;
  if (out.includes("could not compile")) throw new Error(out.split("\n").filter((line) => line.startsWith("error")).join("\n"));
  return [...new Set([...out.matchAll(/^ {4}(?:\w+::)*(\w+)$/gm)].map(([, name]) => name))];
}

const sound = new Set();
let missed = 0;
for (const [i, { what, crate, file, before, after }] of wanted.entries()) {
  if (!sound.has(crate) && failing(crate) !== null) throw new Error(`the tests of ${crate} fail as they are`);
  sound.add(crate);
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  const pieces = source.split(before);
  if (pieces.length !== 2) throw new Error(`${what}: not once in ${file}: ${before}`);
  writeFileSync(path, pieces.join(after));
  let found;
  try {
      found = failing(crate);
  } catch (error) {
      throw new Error(`${what} (${file}) does not compile:\n${error.message}`, { cause: error });
  } finally {
      writeFileSync(path, source);
  }
  missed += found === null ? 1 : 0;
  const by = found === null ? "NOT FOUND" : `found by ${found[0]}${found.length > 1 ? ` and ${found.length - 1} more` : ""}`;
  console.log(`${i + 1}/${wanted.length}  ${crate}: ${what}: ${by}`);
}
console.log(`${wanted.length - missed} of ${wanted.length} found`);
process.exitCode = missed === 0 ? 0 : 1;
