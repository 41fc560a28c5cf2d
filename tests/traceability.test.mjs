// docs/traceability.md names definitions, tests and files: each of them is in the sources, so that the table cannot rot.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const files = (folder, pattern) => readdirSync(join(ROOT, folder), { recursive: true }).filter((name) => pattern.test(name)).map((name) => join(ROOT, folder, name));
const sources = [...files("crates", /\.rs$/), ...files("tests", /\.(rs|mjs)$/)].map((file) => readFileSync(file, "utf8")).join("\n");
const table = readFileSync(join(ROOT, "docs/traceability.md"), "utf8");

/** The names between backticks in the second and third columns of every row, braces written out. */
function named() {
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| ---"));
  const cells = rows.flatMap((row) => row.split(" | ").slice(1));
  const names = [...cells.join("\n").matchAll(/`([^`]+)`/g)].map((found) => found[1]);
  return names.flatMap((name) => {
    const [, before, inside] = /^(.*)\{(.*)\}$/.exec(name) ?? [];
    return inside ? inside.split(", ").map((one) => before + one) : [name];
  });
}

test("every row of the table says what carries it and what proves it", () => {
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| ---"));
  assert.ok(rows.length > 50);
  for (const row of rows) assert.equal(row.replace(/^\| | \|$/g, "").split(" | ").filter((cell) => cell.trim()).length, 3, row);
});

test("every definition, test and file that the table names is there", () => {
  const missing = named().filter((name) => {
    if (name.includes("/") || name.endsWith(".html")) return !existsSync(join(ROOT, name));
    if (name.startsWith("qod ")) return !existsSync(join(ROOT, `crates/qod/src/${name.slice(4)}.rs`)) && !existsSync(join(ROOT, `crates/qod/src/${name.slice(4)}/mod.rs`));
    // A test is a function of just that name; of a path each part is a crate, a module or a word that something declares.
    if (/^[a-z0-9_]{20,}$/.test(name)) return !sources.includes(`fn ${name}(`);
    return name.split("::").some((part) => !new RegExp(`\\b(fn|struct|enum|const|mod|static|trait|type|pub) ${part}\\b|^ +${part}\\b([,({ ]|$)`, "m").test(sources) && !existsSync(join(ROOT, "crates", part)));
  });
  assert.deepEqual(missing, []);
});

test("every test that the points of sale's page names is there", () => {
  const names = [...readFileSync(join(ROOT, "docs/point-of-sale.md"), "utf8").matchAll(/`([a-z0-9_]{30,})`/g)].map((found) => found[1]);
  assert.ok(names.length > 8);
  assert.deepEqual(names.filter((name) => !sources.includes(`fn ${name}(`)), []);
});

test("the_notices_stand_in_the_page_word_for_word", () => {
  // Legal wording, as docs/reglement.md gives it; the page only keeps the telephone number on one line and links the address.
  const text = readFileSync(join(ROOT, "index.html"), "utf8").replace(/<[^>]*>/g, "").replace(/\s+/g, " ");
  const rules = readFileSync(join(ROOT, "docs/reglement.md"), "utf8").replace(/\s+/g, " ");
  const notices = [...rules.matchAll(/« (Jouer comporte[^»]*|Les jeux d'argent[^»]*) »/g)].map((found) => found[1]);
  assert.equal(notices.length, 2);
  for (const notice of notices) assert.ok(text.includes(notice.replace(/\.$/, "")), notice);
});
