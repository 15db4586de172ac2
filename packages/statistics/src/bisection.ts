import { sumOf } from './line/summary'
import { incompleteBeta } from './special-functions'

/**
 * Searches for the commit that made a test fail more often, by Bayesian search over commits. One execution does not decide. Each
 * execution is at the commit with the highest expected information.
 * Sources: Ben-Or and Hassidim, "The Bayesian learner is optimal for noisy binary search" (2008); Waeber, Frazier and Henderson,
 * "Bisection search with noisy responses" (2013). Unlike there, a pass and a failure carry different information, and the failure
 * rate is uncertain.
 */

/** A result of the test at a commit. `at` is the index of the commit, from the oldest. */
export interface CommitResult {
  readonly at: number
  readonly failed: boolean
}

export interface SearchedResults {
  /**
   * Probability, before the results, that each commit is the first that fails more often. The first place stands for the first commit
   * or an earlier one. One more place at the end stands for none of these commits.
   */
  readonly prior: readonly number[]
  /** Equally likely failure rates since the change: `spreadRate`. */
  readonly rates: readonly number[]
  /** Failure rate before the change; 0 if no failure is known. */
  readonly rateBefore: number
  readonly results: readonly CommitResult[]
}

export interface ChangeLocation {
  /** Probability of each place of the prior. */
  readonly places: readonly number[]
  /** Expected failure rate since the change, for each place of the change. */
  readonly rates: readonly number[]
  readonly rateBefore: number
  /** Expected number of results and of failures since the change. */
  readonly since: { readonly failures: number; readonly n: number }
}

const RATE_STEPS = 24
/** If no failure before the change is known, a failure before it is this much rarer than one since the change. */
const RARER = 1000

/** Equally likely failure rates of a test that failed in `failures` of `n` results: quantiles of the Beta distribution, Jeffreys prior. */
export function spreadRate(failures: number, n: number): number[] {
  return Array.from({ length: RATE_STEPS }, (_, step) =>
    findQuantile((step + 0.5) / RATE_STEPS, failures + 0.5, n - failures + 0.5),
  )
}

function findQuantile(share: number, alpha: number, beta: number): number {
  let [low, high] = [0, 1]
  for (let halving = 0; halving < 50; halving++) {
    const middle = (low + high) / 2
    if (incompleteBeta(middle, alpha, beta) < share) low = middle
    else high = middle
  }
  return (low + high) / 2
}

export function locateChange({ prior, rates, rateBefore, results }: SearchedResults): ChangeLocation {
  const counts = countSince(prior.length, results)
  const [all = NONE] = counts
  const models = rates.map((rate) => describeModel(rate, rateBefore))
  let fit: Fit = { log: 0, rate: 0 }
  const fits = counts.map((since, place) => {
    // Without results at the previous commit, both places have the same results since the change.
    if (place === 0 || since.n !== counts[place - 1]?.n) fit = fitRates(models, since, all)
    return fit
  })
  const highest = fits.reduce((max, { log }) => Math.max(max, log), -Infinity)
  const weights = prior.map((share, place) => share * Math.exp((fits[place]?.log ?? 0) - highest))
  const total = sumOf(weights)
  const places = weights.map((weight) => weight / total)
  return {
    places,
    rates: fits.map(({ rate }) => rate),
    rateBefore,
    since: {
      failures: sumOf(places.map((share, place) => share * (counts[place] ?? NONE).failures)),
      n: sumOf(places.map((share, place) => share * (counts[place] ?? NONE).n)),
    },
  }
}

interface Fit {
  /** Logarithm of the likelihood of all results, up to a constant. */
  log: number
  /** Expected failure rate since the change. */
  rate: number
}

/** Averages over all rates, for a change with these results since then. */
function fitRates(models: readonly Model[], since: Counts, all: Counts): Fit {
  const before = { failures: all.failures - since.failures, n: all.n - since.n }
  const logs = models.map((model) => logOf(model.since, since) + logOf(model.before, before))
  const highest = Math.max(...logs)
  const weights = logs.map((log) => Math.exp(log - highest))
  const total = sumOf(weights)
  return {
    log: highest + Math.log(total),
    rate: sumOf(models.map(({ rate }, i) => rate * (weights[i] ?? 0))) / total,
  }
}

interface Counts {
  failures: number
  n: number
}

const NONE: Counts = { failures: 0, n: 0 }

/** Counts the results at each place or later. */
function countSince(length: number, results: readonly CommitResult[]): Counts[] {
  const counts = Array.from({ length }, () => ({ failures: 0, n: 0 }))
  for (const { at, failed } of results) {
    const own = counts[at]
    if (!own) throw new Error(`no commit ${at}`)
    own.n += 1
    if (failed) own.failures += 1
  }
  for (let place = length - 2; place >= 0; place--) {
    const [own = NONE, later = NONE] = counts.slice(place, place + 2)
    counts[place] = { failures: own.failures + later.failures, n: own.n + later.n }
  }
  return counts
}

interface Model {
  rate: number
  since: { failed: number; passed: number }
  before: { failed: number; passed: number }
}

/** Logarithms of the probabilities of a failure and of a pass, since the change and before it. */
function describeModel(rate: number, rateBefore: number): Model {
  const before = rateOrRare(rateBefore, rate)
  return {
    rate,
    since: { failed: Math.log(rate), passed: Math.log1p(-rate) },
    before: { failed: Math.log(before), passed: Math.log1p(-before) },
  }
}

function rateOrRare(rateBefore: number, rate: number): number {
  return rateBefore > 0 ? rateBefore : rate / RARER
}

function logOf({ failed, passed }: Model['since'], { failures, n }: Counts): number {
  return failures * failed + (n - failures) * passed
}

/** The search stays at a commit with this share of the best commit's information, because a checkout takes time. */
const WORTH_STAYING = 0.8
const NO_INFORMATION = 1e-9

/**
 * Chooses the commit with the highest expected information, or the current one if it has nearly as much. `skipped` are commits where the
 * test cannot run. Returns undefined if no execution gives information.
 */
export function chooseCommit(
  location: ChangeLocation,
  { skipped, current }: { skipped: ReadonlySet<number>; current: number | undefined },
): number | undefined {
  const told = listInformation(location).map((each, at) => (skipped.has(at) ? 0 : each))
  const most = told.reduce((max, each) => Math.max(max, each), 0)
  if (most < NO_INFORMATION) return undefined
  if (current !== undefined && (told[current] ?? 0) >= WORTH_STAYING * most) return current
  return told.indexOf(most)
}

/** Mutual information of the change's place and one execution at each commit, in nats. */
function listInformation({ places, rates, rateBefore }: ChangeLocation): number[] {
  let [changed, failing, entropySince] = [0, 0, 0]
  let restFailing = sumOf(places.map((share, place) => share * rateOrRare(rateBefore, rates[place] ?? 0)))
  let restEntropy = sumOf(
    places.map((share, place) => share * entropy(rateOrRare(rateBefore, rates[place] ?? 0))),
  )
  return places.slice(0, -1).map((share, place) => {
    const rate = rates[place] ?? 0
    const before = rateOrRare(rateBefore, rate)
    changed += share
    failing += share * rate
    entropySince += share * entropy(rate)
    restFailing -= share * before
    restEntropy -= share * entropy(before)
    return changed === 0 ? 0 : entropy(failing + restFailing) - entropySince - restEntropy
  })
}

/** Entropy of an outcome with this probability, in nats. */
function entropy(probability: number): number {
  if (probability <= 0 || probability >= 1) return 0
  return -probability * Math.log(probability) - (1 - probability) * Math.log1p(-probability)
}

/** The places from `from` to `to`, both included. No execution can distinguish them. */
export interface Suspect {
  readonly from: number
  readonly to: number
  readonly probability: number
}

/** Lists the places of the change, most likely first. Places that only a skipped commit could distinguish are one suspect. */
export function listSuspects({ places }: ChangeLocation, skipped: ReadonlySet<number>): Suspect[] {
  const suspects: Suspect[] = []
  places.forEach((probability, place) => {
    const last = suspects.at(-1)
    if (last && skipped.has(place - 1))
      suspects[suspects.length - 1] = { ...last, to: place, probability: last.probability + probability }
    else suspects.push({ from: place, to: place, probability })
  })
  return suspects.toSorted((one, other) => other.probability - one.probability)
}

/** The search ends at this probability. 97 % of the answers must be right; the rest allows for inexact assumptions. */
export const SURE = 0.98
/** Probability, before any execution, that the test fails at no commit on this machine. */
const NOWHERE = 0.02
/** Share of the prior that is spread evenly, because the record may be wrong. */
const UNKNOWN = 0.05
/** The record's failure rate counts as at most this number of results, because this machine may differ. */
const RECORD_WEIGHT = 20

/** Computes the prior for `commits` commits from the results on record. */
export function startSearch(
  commits: number,
  results: readonly CommitResult[],
  rateBefore: number,
): Omit<SearchedResults, 'results'> {
  const even = Array.from({ length: commits }, () => 1 / commits)
  const record = locateChange({
    prior: [...even, 0],
    rates: listHigher(0, 0, rateBefore),
    rateBefore,
    results,
  })
  const { failures, n } = record.since
  const weight = n === 0 ? 0 : Math.min(1, RECORD_WEIGHT / n)
  return {
    prior: [
      ...even.map(
        (share, at) => (1 - NOWHERE) * ((1 - UNKNOWN) * (record.places[at] ?? 0) + UNKNOWN * share),
      ),
      NOWHERE,
    ],
    rates: listHigher(failures * weight, n * weight, rateBefore),
    rateBefore,
  }
}

/** Keeps rates above the earlier one, because the search is for a change to a higher rate. */
function listHigher(failures: number, n: number, rateBefore: number): number[] {
  const rates = spreadRate(failures, n)
  const higher = rates.filter((rate) => rate > rateBefore)
  return higher.length > 0 ? higher : [(1 + rateBefore) / 2]
}
