// The worked cases, against the second implementation: `node --test tests/independent/`

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { check, clientHalf, commitment, multiplier, serverHalf, serverSeed, uniform } from "./checker.mjs";

const vectors = JSON.parse(readFileSync(new URL("../vectors/sealed-grid-v1.json", import.meta.url), "utf8"));
const bytes = (hex) => Buffer.from(hex, "hex");

test("uniform passes over words beyond the last multiple", () => {
  for (const { n, words, result, words_read } of vectors.uniform) {
    let read = 0;
    const stream = { next: () => ({ value: words[read++] }) };
    assert.deepEqual([uniform(n, stream), read], [result, words_read]);
  }
});

test("the two shares draw the multiplier on both sides of every limit", () => {
  for (const v of vectors.multipliers) {
    assert.equal(multiplier(v.palier - 1, v.potential_gain_eur, v.server_share, v.client_share), v.multiplier);
  }
});

test("every worked game is drawn, sealed, played and checked", () => {
  for (const g of vectors.games) {
    const seed = serverSeed(bytes(g.draw_key), g.ticket_id);
    assert.equal(seed.toString("hex"), g.server_seed);
    const half = serverHalf(seed);
    assert.equal(half.root.toString("hex"), g.root);
    const sealed = commitment(g.ticket_id, g.potential_gain_eur, half.root);
    assert.equal(sealed.toString("hex"), g.commitment);
    const client = clientHalf(bytes(g.client_seed), sealed);
    assert.deepEqual([half.losing, half.shares, client.cells, client.shares], [g.losing_cells, g.server_shares, g.cell_of_number, g.client_shares]);
    assert.deepEqual(half.open(client.cells[g.picks[0] - 1]), g.first_opening);
    assert.deepEqual(half.open(33), g.palier_4_opening);

    const actions = [{ type: "continue" }];
    for (const step of g.steps) {
      if (step.number) actions.push({ type: "pick", number: step.number, opening: half.open(step.cell) });
      else {
        actions.push({ type: "palier", ...step, opening: half.open(29 + step.palier) });
        if (step.palier < g.stop_after_palier) actions.push({ type: "continue" });
        else if (step.palier < 4) actions.push({ type: "quit" });
      }
    }
    const transcript = {
      version: 1, ticket_id: g.ticket_id, potential_gain_eur: g.potential_gain_eur, commitment: g.commitment,
      client_seed: g.client_seed, server_seed: g.server_seed, actions, outcome: g.outcome, gain_eur: g.gain_eur,
    };
    assert.equal(check(transcript), `${g.outcome}, ${g.gain_eur} €, losing numbers ${g.losing_numbers.join(", ")}`);
    assert.throws(() => check({ ...transcript, gain_eur: g.gain_eur + 1 }));
    assert.throws(() => check({ ...transcript, server_seed: g.client_seed }));
    for (const outcome of [[g.outcome], "constructor", "", null, undefined]) {
      assert.throws(() => check({ ...transcript, outcome }), /^Error: unknown outcome$/);
    }
  }
});
