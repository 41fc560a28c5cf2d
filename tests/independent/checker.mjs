// A second implementation of docs/sealed-grid-v1.md, written from its text alone and sharing nothing with the crates: what both accept,
// and what both refuse, is what the specification says. Node's standard library only.
//
//   node tests/independent/checker.mjs FILE…     checks transcripts: "OK …" or "WRONG …" for each, exit 0 or 1

import { createHash, createHmac } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

const D = [506, 969, 455, 44];
const T = [3, 86, 59, 3];
const FOUND = [6, 11, 15, 18];
const GAINS = [5, 10, 20, 50, 100, 1000, 50000];

const H = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
const hmac = (key, ...parts) => createHmac("sha256", key).update(Buffer.concat(parts)).digest();
const u8 = (n) => Buffer.from([n]);
const u32 = (n) => { const b = Buffer.alloc(4); b.writeUInt32BE(n); return b; };
const ascii = (s) => Buffer.from(s, "ascii");

export function* words(key, label) {
  for (let i = 0; ; i++) {
    const block = hmac(key, label, u32(i));
    for (let at = 0; at < 32; at += 4) yield block.readUInt32BE(at);
  }
}

export function uniform(n, stream) {
  const limit = Math.floor(2 ** 32 / n) * n;
  for (;;) {
    const x = stream.next().value;
    if (x < limit) return x % n;
  }
}

export function shuffle(n, stream) {
  const a = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i >= 1; i--) {
    const j = uniform(i + 1, stream);
    [a[i], a[j]] = [a[j], a[i]];
  }
  return a;
}

const leafHash = (i, value, nonce) => H(u8(0), u8(i), u32(value), nonce);
const nodeHash = (l, r) => H(u8(1), l, r);

// RFC 6962, section 2.1: the recursive definitions.
const split = (n) => { let k = 1; while (2 * k < n) k *= 2; return k; };
function mth(leaves) {
  if (leaves.length === 1) return leaves[0];
  const k = split(leaves.length);
  return nodeHash(mth(leaves.slice(0, k)), mth(leaves.slice(k)));
}
function path(m, leaves) {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  return m < k
    ? [...path(m, leaves.slice(0, k)), mth(leaves.slice(k))]
    : [...path(m - k, leaves.slice(k)), mth(leaves.slice(0, k))];
}
function rootFromPath(m, n, leaf, hashes) {
  if (n === 1) { if (hashes.length) throw Error("path too long"); return leaf; }
  if (!hashes.length) throw Error("path too short");
  const k = split(n), top = hashes[hashes.length - 1], rest = hashes.slice(0, -1);
  return m < k ? nodeHash(rootFromPath(m, k, leaf, rest), top) : nodeHash(top, rootFromPath(m - k, n - k, leaf, rest));
}

const uuid = (text) => {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) throw Error("ticket_id is no canonical UUID");
  return Buffer.from(text.replaceAll("-", ""), "hex");
};
const hex32 = (text, name) => {
  if (typeof text !== "string" || !/^[0-9a-f]{64}$/.test(text)) throw Error(`${name} is not 64 lower-case hex digits`);
  return Buffer.from(text, "hex");
};
const commitmentOf = (ticket, eur, root) => H(ascii("qod/1 commitment"), uuid(ticket), u32(eur), root);

export function serverHalf(seed) {
  const deck = shuffle(30, words(seed, ascii("qod/1 deck")));
  const shareWords = words(seed, ascii("qod/1 multipliers"));
  const shares = D.map((d) => uniform(d, shareWords));
  const values = Array.from({ length: 30 }, (_, cell) => (deck.indexOf(cell) < 3 ? 0 : 1)).concat(shares);
  const nonces = values.map((_, i) => hmac(seed, ascii("qod/1 nonce"), u8(i)));
  const leaves = values.map((value, i) => leafHash(i, value, nonces[i]));
  const open = (i) => ({
    index: i, value: values[i], nonce: nonces[i].toString("hex"), path: path(i, leaves).map((h) => h.toString("hex")),
  });
  return { losing: deck.slice(0, 3).sort((a, b) => a - b), shares, root: mth(leaves), open };
}

export function clientHalf(seed, commitment) {
  const cells = shuffle(30, words(seed, Buffer.concat([ascii("qod/1 cells"), commitment])));
  const shareWords = words(seed, Buffer.concat([ascii("qod/1 multipliers"), commitment]));
  return { cells, shares: D.map((d) => uniform(d, shareWords)) };
}

export const serverSeed = (drawKey, ticket) => hmac(drawKey, ascii("qod/1 server seed"), uuid(ticket));
export const multiplier = (k, eur, s, c) => (eur !== 50000 && (s + c) % D[k] < T[k] ? 3 : 2);

const integer = (n, low, high, name) => {
  if (!Number.isSafeInteger(n) || n < low || n > high) throw Error(`${name} is out of its range`);
  return n;
};

/** Checks a transcript; throws the first thing that is wrong, gives a short account otherwise. */
export function check(t) {
  if (t.version !== 1) throw Error("version is not 1");
  const eur = t.potential_gain_eur;
  if (!GAINS.includes(eur)) throw Error("potential_gain_eur is none of the règlement");
  const commitment = hex32(t.commitment, "commitment");
  const client = clientHalf(hex32(t.client_seed, "client_seed"), commitment);
  const opened = (opening, index, below) => {
    if (opening.index !== index) throw Error(`another leaf than ${index} is opened`);
    integer(opening.value, 0, below - 1, "value");
    const hashes = opening.path.map((h) => hex32(h, "path"));
    const leaf = leafHash(index, opening.value, hex32(opening.nonce, "nonce"));
    const root = rootFromPath(index, 34, leaf, hashes);
    if (!commitmentOf(t.ticket_id, eur, root).equals(commitment)) throw Error(`leaf ${index} does not lead to the commitment`);
    return opening.value;
  };

  let state = "new", reached = 0, gain = eur;
  const picked = new Set();
  const good = () => picked.size;
  t.actions.forEach((action, at) => {
    const wrong = (why) => { throw Error(`action ${at + 1}: ${why}`); };
    switch (action.type) {
      case "continue":
        if (state !== "new" && !(state === "palier" && reached < 4)) wrong("nothing to continue");
        state = "picking";
        break;
      case "pick": {
        if (state !== "picking") wrong("no pick is due");
        integer(action.number, 1, 30, "number");
        if (picked.has(action.number)) wrong("picked before");
        picked.add(action.number);
        if (opened(action.opening, client.cells[action.number - 1], 2) === 0) state = "lost";
        else if (good() === FOUND[reached]) state = "due";
        break;
      }
      case "palier": {
        if (state !== "due" || action.palier !== reached + 1) wrong("no such palier is due");
        const share = opened(action.opening, 30 + reached, D[reached]);
        const drawn = multiplier(reached, eur, share, client.shares[reached]);
        gain *= drawn;
        if (action.multiplier !== drawn || action.gain_eur !== gain) wrong(`it is ×${drawn}, ${gain} €`);
        reached += 1;
        state = reached === 4 ? "won" : "palier";
        break;
      }
      case "quit":
        if (state !== "palier") wrong("no palier to quit on");
        state = "won";
        break;
      default:
        wrong("unknown type");
    }
  });
  if (state === "new") throw Error("nothing was started");
  if (state === "due") throw Error("the palier does not follow its last pick");

  const running = state === "picking" || state === "palier";
  const lastGain = reached > 0 ? gain : 0;
  const outcomes = {
    in_progress: running ? [null] : [],
    won: state === "won" ? [gain] : [],
    lost: state === "lost" ? [0] : [],
    expired: !running ? [] : state === "palier" ? [gain] : [0, lastGain],
    void: running ? [gain] : [],
  };
  // A property's name would be made of anything, ["won"] too.
  if (typeof t.outcome !== "string" || !Object.hasOwn(outcomes, t.outcome)) throw Error("unknown outcome");
  if (!outcomes[t.outcome].includes(t.gain_eur)) throw Error("outcome and gain do not follow from the actions");
  if (t.outcome === "in_progress") {
    if (t.server_seed !== null) throw Error("revealed although in progress");
    return `in progress, ${good()} picked`;
  }
  const half = serverHalf(hex32(t.server_seed, "server_seed"));
  if (!commitmentOf(t.ticket_id, eur, half.root).equals(commitment)) throw Error("the server seed does not make the commitment");
  const numbers = half.losing.map((cell) => client.cells.indexOf(cell) + 1).sort((a, b) => a - b);
  return `${t.outcome}, ${t.gain_eur} €, losing numbers ${numbers.join(", ")}`;
}

export const commitment = commitmentOf;

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  for (const file of process.argv.slice(2)) {
    try {
      console.log(`OK ${check(JSON.parse(readFileSync(file, "utf8")))}`);
    } catch (error) {
      console.log(`WRONG ${error.message}`);
      process.exitCode = 1;
    }
  }
}
