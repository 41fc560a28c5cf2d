// A change that no longer fits the sources would prove nothing: each one's place is there, once.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import placed from "./placed-mutants.mjs";

test("every placed change has its one place in the sources", () => {
  for (const { what, file, before, after } of placed) {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    assert.equal(source.split(before).length, 2, `${what}, ${file}`);
    assert.notEqual(before, after, what);
  }
});
