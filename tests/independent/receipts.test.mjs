// The worked receipts, against the second implementation: `node --test tests/independent/`

import assert from "node:assert/strict";
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { check, keyId, readKeys, statements } from "./receipts.mjs";

const vectors = JSON.parse(readFileSync(new URL("../vectors/receipts-v1.json", import.meta.url), "utf8"));
const bytes = (hex) => Buffer.from(hex, "hex");

const privateKey = ({ secret }) => {
  const der = Buffer.concat([bytes("302e020100300506032b657004220420"), bytes(secret)]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
};

test("every key has its public half and its id", () => {
  for (const key of vectors.keys) {
    const spki = createPublicKey(privateKey(key)).export({ format: "der", type: "spki" });
    assert.equal(spki.subarray(12).toString("hex"), key.public_key);
    assert.equal(keyId(bytes(key.public_key)), key.id);
  }
});

test("every worked game has these statements, digests and signatures", () => {
  for (const game of vectors.games) {
    assert.match(check(game.saved, vectors.published), new RegExp(`${game.statements.length} receipts$`));
    assert.match(check(game.saved, { version: 1, keys: game.saved.receipts.keys }), /receipts$/);
    const all = statements(game.saved);
    assert.deepEqual(all.map((s) => s.toString("hex")), game.statements);
    assert.deepEqual(all.map((s) => createHash("sha256").update(s).digest("hex")), game.digests);
    // Ed25519 has one signature for a key and a message: the signer of these keys makes the very same.
    const receipts = [game.saved.receipts.opening, ...game.saved.receipts.actions];
    receipts.forEach(({ key, signature }, i) => {
      const signer = privateKey(vectors.keys.find((k) => k.id === key));
      assert.equal(sign(null, all[i], signer).toString("hex"), signature);
    });
  }
});

/** What a checker must answer where the vectors name the step that finds it. */
const FOUND_BY = {
  count: /more (actions|receipts)/, step: /^Error: step/, key: /^Error: key/, period: /^Error: period/, signature: /^Error: signature/,
  format: /is not|is unknown/,
};

test("every wrong receipt is found, where the vectors say", () => {
  for (const { name, game, pointer, value, found_by, more_keys } of vectors.wrong) {
    const altered = structuredClone(vectors.games[game].saved);
    const path = pointer.slice(1).split("/");
    const last = path.pop();
    path.reduce((at, member) => at[member], altered)[last] = value;
    const keys = { version: 1, keys: [...vectors.published.keys, ...more_keys] };
    assert.throws(() => check(altered, keys), FOUND_BY[found_by], name);
  }
});

test("a list that gives a key twice, or under another name, is refused", () => {
  const [first, second] = vectors.published.keys;
  assert.throws(() => readKeys({ version: 1, keys: [first, first] }));
  assert.throws(() => readKeys({ version: 1, keys: [{ ...first, id: second.id }] }));
  assert.throws(() => readKeys({ version: 1, keys: [{ ...first, until_ms: first.from_ms - 1 }] }));
});
