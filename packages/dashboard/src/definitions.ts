/** What each number on a page means, in the words of docs/statistics.md. */
export const DEFINITIONS = {
  failures:
    'Failure rate: results whose first attempt failed ÷ results. Results of infrastructure builds and skipped ones are left out.',
  flakes: 'Flake rate: results that failed first and passed on a retry ÷ results.',
  interval:
    'The two numbers below a rate are its 95 % interval by Wilson, and n is the sample. Without a failure in n results it ends at 3.84 ÷ (n + 3.84): at 16 % after 20 results, below 1 % only after 381.',
  state:
    'State: that of the last segment. Healthy: the interval of its failure rate ends below 1 %. Broken: at least 80 % failed. Flaky: it failed and passed later. Unknown: the sample is too small for any of these. Time alone changes no state.',
  segments:
    'Segment: a stretch of builds over which the test failed at one rate. Where it began is a 99 % interval; where that is one build, it is named alone.',
  duration: 'Duration: of a result, the sum of its attempts. Median and mean are of passed first attempts.',
  median: 'Median (p50): of passed first attempts among the last 60 results.',
  mean: 'Mean duration of passed first attempts in the period.',
  change:
    'Change: a lasting step in the durations of passed first attempts in one environment, found by E-divisive with a t-test (p < 0.001), from 20 % and 100 ms on.',
  cost: 'Cost: minutes of failed builds in which flaky results of this test alone were the failures.',
  evidence:
    'Flaky evidence: it passed on a retry, or has both verdicts on one commit in the same environment, within its last 100 builds or the last 14 days.',
  infrastructure:
    'Infrastructure build: at least 80 % of its results failed, or one error is in at least 30 % of them and in 10 tests. It is shown, and left out of every rate.',
  cause: 'Cause: results that share the fingerprint of their first error.',
  incomplete:
    'Incomplete: a shard or an execution that began is not on record, and no more is expected. Incomplete is never green.',
  firstPass:
    'First-pass yield: units whose first run of the procedure passed, of units tested in the last 28 days.',
  passes:
    'First-pass yield: units whose first run ever of the procedure passed ÷ units tested. Last-pass yield: units whose last completed run passed, which is the verdict of a unit. Aborted runs and samples are left out.',
  rolledYield: 'Rolled yield: the product of the yields of all these procedures.',
  slower:
    'Slower: passed in both and took at least 20 % and 100 ms longer: one result against one, no trend.',
  slowerTests:
    'Slower: the mean of the second half of the 14 days is at least 20 % and 100 ms above that of the first, with 5 passed results in each.',
  worstBatch:
    'Worst batch: the lowest first-pass yield of these units, of batches with at least 5 of them; none where all passed.',
  firstPassEver:
    'First-pass yield (first run ever): units that passed their first run of the procedure ever ÷ units whose first run is in the period.',
  firstPassOfDay:
    'First-pass yield (first run of the day): units that passed their first run of a day ÷ units tested that day, over all days. Some products show this one.',
  laterPasses:
    'Second-pass yield: units that passed their first or second run. Last-pass yield: units whose last run passed, which is the verdict of a unit. A unit counts on the day of its first run.',
  yieldInterval:
    'The two numbers below a yield are its 95 % interval by Wilson, and n is the sample. Aborted runs are left out; errors and timeouts count as failed. Days are of UTC.',
  samples: 'Samples: units that are marked as golden or the like. They count in no yield and no capability.',
  pareto:
    'Share: failures of the measurement ÷ all failures of measurements. A step without measurements counts as one. Only the last attempt of a step counts.',
  control:
    'In control: no rule is broken. Limits are mean ± 3 σ, with σ = mean moving range ÷ 1.128. In a stable process about 1.6 % of the values break a Western Electric rule, 2.3 % a Nelson rule: one broken rule in 100 values is no alarm, many are.',
  lineControl:
    'In control on this page: the 5 measurements with numbers that fail most, each by the last 200 values of the period and the four Western Electric rules. The page of a measurement looks at up to 3,000 values.',
  capability:
    'Cp = (upper − lower limit) ÷ 6 σ; Cpk = distance of the mean from the nearer limit ÷ 3 σ, with σ within the process (from moving ranges). Pp and Ppk: the same with σ overall (standard deviation of all values). Several products call Ppk "Cpk". Each has its 95 % interval, which assumes normal values. A process that is not in control has no Cp and no Cpk.',
  normality:
    'Normal: the test of Anderson and Darling gives p ≥ 0.05. It needs 8 values, and finds smaller deviations the more values there are.',
  drift:
    'Drift: a lasting change of the mean of at least 1 σ within the process (p < 0.0001), searched for in the last 2,000 values. One of 200 stable series of 300 values shows one. What began with it: batches, stations and versions whose first value is at most 5 values away.',
  groups: 'Difference: mean of these values − mean of all others, also in σ within the process.',
  gauge:
    'Gauge study: units that each station measured at least twice, golden ones here. Repeatability: the same unit at the same station again. Reproducibility: the difference between stations, and their interaction with units. Each is a standard deviation with its share of the variance, by analysis of variance of two factors.',
  worstBatchOfPeriod:
    'Worst batch: the lowest first-pass yield of the period, of batches with at least 5 units whose first run is in it; none where all passed.',
  worstRow:
    'Worst: the lowest first-pass yield (first run ever), of rows with at least 5 units; none where all passed.',
  quarantine:
    'Quarantine: a test with one of its errors, or with any. An execution that asks for it passes if everything that failed has a live entry. An entry ends at most 30 days after somebody made or extended it.',
  quarantineFailures:
    'Failures since: runs since the entry was made, and before it ended, in which an attempt of the test failed with this as its first error.',
  occurrences: 'Occurrences: how often the error happened, earlier attempts included.',
} as const
export type DefinitionName = keyof typeof DEFINITIONS
