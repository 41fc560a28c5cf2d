// What every strategy of `qod simulate` gives, exactly, by another route than the crates': all 4,060 layouts are counted one by one, and all sixteen
// sequences of multipliers. Written from docs/reglement.md alone; integers only. Node's standard library only.
//
//   node tests/independent/simulate.mjs > tests/vectors/simulate.json     writes the fractions that qod's tests are compared with

import { fileURLToPath } from "node:url";
import { argv } from "node:process";
import { realpathSync } from "node:fs";

const FOUND_IN_ALL = [6, 11, 15, 18];
const LOTS = { 50000: 2, 1000: 40, 100: 500, 50: 7300, 20: 40000, 10: 265000, 5: 459000 };
export const STRATEGIES = ["palier:1", "palier:2", "palier:3", "palier:4", "always", "amount:0", "amount:15", "amount:40", "amount:100", "amount:1000", "amount:200000"];

const gcd = (a, b) => (b === 0n ? a : gcd(b, a % b));
const fraction = (n, d) => { const g = gcd(n, d); return [n / g, d / g]; };
const times = ([a, b], [c, d]) => fraction(a * c, b * d);
const plus = ([a, b], [c, d]) => fraction(a * d + c * b, b * d);

// reachable[k]: in how many layouts a player who picks 1, 2, 3, … finds the numbers of palier k before the first losing one.
const reachable = [0n, 0n, 0n, 0n, 0n];
for (let a = 1; a <= 30; a++) for (let b = a + 1; b <= 30; b++) for (let c = b + 1; c <= 30; c++) {
  reachable[0]++;
  FOUND_IN_ALL.forEach((found, k) => { if (![a, b, c].some((losing) => losing <= found)) reachable[k + 1]++; });
}
// P(reach k from the one before), and P(×3 and reach) = 1 − 2·P(reach), so P(×3 | reached) = (1 − 2p) / p.
const reach = [1, 2, 3, 4].map((k) => fraction(reachable[k], reachable[k - 1]));
const three = reach.map(([n, d]) => fraction(d - 2n * n, n));

const stops = (strategy, palier, gain) => {
  const [kind, value] = strategy.split(":");
  if (kind === "palier") return palier === Number(value);
  return kind === "amount" && gain >= BigInt(value);
};

/** The chance of each gain: every layout class (which palier it ends before) times every sequence of multipliers, played through. */
export function distribution(stake, strategy) {
  const chances = new Map();
  const add = (gain, chance) => chances.set(gain, plus(chances.get(gain) ?? [0n, 1n], chance));
  for (let best = 0; best <= 4; best++) {
    const layouts = best === 4 ? reachable[4] : reachable[best] - reachable[best + 1];
    for (let sequence = 0; sequence < 16; sequence++) {
      let chance = [layouts, reachable[0]];
      const factors = [0, 1, 2, 3].map((k) => {
        const triples = (sequence >> k) & 1;
        const p = stake === 50000 ? [0n, 1n] : three[k];
        chance = times(chance, triples ? p : fraction(p[1] - p[0], p[1]));
        return triples ? 3n : 2n;
      });
      let [gain, palier] = [BigInt(stake), 0];
      while (palier < 4 && !stops(strategy, palier, gain)) {
        if (palier === best) { gain = 0n; break; }
        gain *= factors[palier++];
      }
      add(gain, chance);
    }
  }
  return [...chances].filter(([, [n]]) => n > 0n).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The same over a block's winning tickets. */
function block(strategy) {
  const tickets = BigInt(Object.values(LOTS).reduce((sum, n) => sum + n, 0));
  const chances = new Map();
  for (const [stake, count] of Object.entries(LOTS))
    for (const [gain, chance] of distribution(Number(stake), strategy))
      chances.set(gain, plus(chances.get(gain) ?? [0n, 1n], times(chance, [BigInt(count), tickets])));
  return [...chances].sort(([a], [b]) => (a < b ? -1 : 1));
}

export function all() {
  const stakes = Object.keys(LOTS).map(Number).sort((a, b) => a - b);
  const row = ([gain, [n, d]]) => `${gain} ${n}/${d}`;
  const lines = (chances) => chances.map(row);
  const returned = (chances) => chances.map(([gain, chance]) => times([gain, 1n], chance)).reduce(plus);
  return STRATEGIES.flatMap((strategy) => [
    ...stakes.map((stake) => { const d = distribution(stake, strategy); return { strategy, potential_gain_eur: stake, return: times(returned(d), [1n, BigInt(stake)]).join("/"), gains: lines(d) }; }),
    { strategy, potential_gain_eur: null, return: times(times(returned(block(strategy)), [771842n, 1n]), [1n, 6300000n]).join("/"), gains: lines(block(strategy)) },
  ]);
}

export const written = () => `[\n${all().map((one) => `  ${JSON.stringify(one)}`).join(",\n")}\n]\n`;

if (argv[1] && realpathSync(argv[1]) === fileURLToPath(import.meta.url)) process.stdout.write(written());
