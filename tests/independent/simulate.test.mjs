import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { distribution, written } from "./simulate.mjs";

test("the fractions that qod simulate is compared with are those of counting all layouts", () => {
  assert.equal(readFileSync(new URL("../vectors/simulate.json", import.meta.url), "utf8"), written());
});

test("below 50,000 € every strategy returns its stake, at 50,000 € twice the chance to get there", () => {
  const returned = (stake, strategy) => distribution(stake, strategy).reduce((sum, [gain, [n, d]]) => sum + (Number(gain) * Number(n)) / Number(d), 0) / stake;
  for (const strategy of ["palier:3", "always", "amount:40"]) assert.ok(Math.abs(returned(20, strategy) - 1) < 1e-12);
  assert.ok(Math.abs(returned(50000, "palier:1") - 1012 / 1015) < 1e-12);
  assert.ok(Math.abs(returned(50000, "always") - 176 / 203) < 1e-12);
});
