// A second implementation of docs/receipts-v1.md, written from its text alone and sharing nothing with the crates. Node's standard library only.
//
//   node tests/independent/receipts.mjs KEYS FILE…     checks saved games against a published list of keys: "OK …" or "WRONG …", exit 0 or 1

import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { check as checkTranscript } from "./checker.mjs";

const H = (bytes) => createHash("sha256").update(bytes).digest();
const u8 = (n) => Buffer.from([n]);
const u16 = (n) => { const b = Buffer.alloc(2); b.writeUInt16BE(n); return b; };
const u32 = (n) => { const b = Buffer.alloc(4); b.writeUInt32BE(n); return b; };
const u64 = (n) => { const b = Buffer.alloc(8); b.writeBigUInt64BE(BigInt(n)); return b; };
const hex = (text, length, name) => {
  if (typeof text !== "string" || !/^[0-9a-f]*$/.test(text) || text.length !== 2 * length) throw Error(`${name} is not ${length} bytes in hex`);
  return Buffer.from(text, "hex");
};
const instant = (n, name) => {
  if (!Number.isSafeInteger(n) || n < 0) throw Error(`${name} is no instant`);
  return n;
};

const SMALL = [
  "00".repeat(32), "01" + "00".repeat(31), "ec" + "ff".repeat(30) + "7f", "ed" + "ff".repeat(30) + "7f", "ee" + "ff".repeat(30) + "7f",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
];

export const keyId = (publicKey) => H(publicKey).subarray(0, 8).toString("hex");

/** Whether this key (32 bytes) made this signature. */
export function signed(publicKey, message, signature) {
  const point = Buffer.from(publicKey);
  point[31] &= 0x7f;
  if (SMALL.includes(point.toString("hex"))) return false;
  const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), publicKey]);
  return verify(null, message, createPublicKey({ key: der, format: "der", type: "spki" }), signature);
}

/** Reads a published list: the keys by their id. */
export function readKeys(list) {
  if (list.version !== 1) throw Error("keys: version is not 1");
  const keys = new Map();
  for (const key of list.keys) {
    const publicKey = hex(key.public_key, 32, "public_key");
    if (key.algorithm !== "Ed25519" || key.id !== keyId(publicKey) || keys.has(key.id)) throw Error("keys: a key is not as it should be");
    const from = instant(key.from_ms, "from_ms"), until = key.until_ms === null ? Infinity : instant(key.until_ms, "until_ms");
    if (until < from) throw Error("keys: a key ends before it begins");
    keys.set(key.id, { publicKey, from, until });
  }
  return keys;
}

const head = (kind, ticket) => Buffer.concat([Buffer.from("qod/1 receipt"), u8(kind), hex(ticket.replaceAll("-", ""), 16, "ticket_id")]);

/** All statements of a saved game whose transcript holds, the opening's first. */
export function statements(game) {
  const { receipts } = game;
  const number = /^([0-9]{3})-([0-9]{4})-([0-9]{7})$/.exec(receipts.ticket_number);
  if (!number) throw Error("ticket_number is none");
  const unfinished = ["no_gain", "last_palier"].indexOf(receipts.unfinished);
  if (unfinished < 0) throw Error("unfinished is unknown");
  const [emission, block, serial] = number.slice(1).map(Number);
  const commitment = hex(game.commitment, 32, "commitment");
  const all = [Buffer.concat([head(0, game.ticket_id), u16(emission), u16(block), u32(serial), u32(game.potential_gain_eur), commitment])];

  const leaf = ({ index, value, nonce }) => H(Buffer.concat([u8(0), u8(index), u32(value), hex(nonce, 32, "nonce")]));
  let [palier, found, euros, last, end] = [0, 0, game.potential_gain_eur, 0, Infinity];
  game.actions.forEach((action, i) => {
    if (action.type === "palier") return;
    const seq = all.length - 1;
    if (seq >= receipts.actions.length) throw Error("there are more actions than receipts");
    const at = instant(receipts.actions[seq].at_ms, "at_ms");
    if (at < last || at >= end) throw Error(`step ${seq}: it cannot have happened then`);
    last = at;
    let kind, body = [], state = 1;
    if (action.type === "pick") {
      const good = action.opening.value === 1;
      found += good ? 1 : 0;
      body = [u8(action.number), u8(action.opening.index), leaf(action.opening)];
      const next = game.actions[i + 1];
      if (!good) { kind = 4; state = 4; }
      else if (next?.type === "palier") {
        kind = 3; palier = next.palier; euros *= next.multiplier; state = palier === 4 ? 3 : 2;
        body.push(u8(next.multiplier), leaf(next.opening));
      } else kind = 2;
    } else if (action.type === "quit") { kind = 6; state = 3; }
    else if (seq > 0) kind = 5;
    else {
      kind = 1;
      end = at + 2_592_000_000;
      body = [commitment, hex(game.client_seed, 32, "client_seed"), u64(end), u8(unfinished)];
    }
    all.push(Buffer.concat([
      head(kind, game.ticket_id), u32(seq), H(all.at(-1)), u64(at), u8(state), u8(palier), u8(found), u32(kind === 4 ? 0 : euros), ...body,
    ]));
  });
  if (all.length - 1 !== receipts.actions.length) throw Error("there are more receipts than actions");
  return all;
}

/** Checks a saved game with its receipts against a published list; throws the first thing that is wrong. */
export function check(game, list) {
  const account = checkTranscript(game);
  const keys = readKeys(list);
  if (game.receipts?.version !== 1) throw Error("receipts: version is not 1");
  statements(game).forEach((statement, i) => {
    const receipt = i === 0 ? game.receipts.opening : game.receipts.actions[i - 1];
    const place = i === 0 ? "opening" : `action ${i - 1}`;
    const key = keys.get(receipt.key);
    if (!key) throw Error(`key: ${place} is signed by none that was published`);
    if (i > 0 && !(key.from <= receipt.at_ms && receipt.at_ms < key.until)) throw Error(`period: ${place} is signed outside of its key's time`);
    if (!signed(key.publicKey, statement, hex(receipt.signature, 64, "signature"))) throw Error(`signature: ${place} is not signed by its key`);
  });
  // Between two paliers the signed setting says what the end of the 30 days leaves; on a palier its gain, before the first nothing.
  if (game.outcome === "expired") {
    const moves = game.actions.filter(({ type }) => type !== "quit"), last = moves.at(-1).type;
    const standing = moves.filter(({ type }) => type === "palier").at(-1)?.gain_eur ?? 0;
    const due = last === "palier" || game.receipts.unfinished === "last_palier" ? standing : 0;
    if (game.gain_eur !== due) throw Error("setting: the gain after the 30 days is not what the signed setting leaves");
  }
  return `${account}; ${game.receipts.actions.length + 1} receipts`;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [keys, ...files] = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, "utf8")));
  files.forEach((game) => {
    try {
      console.log(`OK ${check(game, keys)}`);
    } catch (error) {
      console.log(`WRONG ${error.message}`);
      process.exitCode = 1;
    }
  });
}
