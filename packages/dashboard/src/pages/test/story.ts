import type { BuildReference, FailingRow, TestSegment } from '@runledger/protocol'

/** A piece of a sentence; a build is shown as a link with its commit and author, or, where it is `near`, by its name alone. */
export type StoryPart = string | BuildReference | { near: BuildReference }

/** How a test did over a segment. A sample may be too small to call it healthy although all of it passed. */
function describe({ state, failures }: TestSegment): string {
  if (state !== 'unknown') return state
  return failures.count === 0 ? 'green' : 'failing now and then'
}

/**
 * What became of a test in one sentence: `last green …, broken at …, fixed by …`. It is about the last break where there was
 * one, else about its only row of failing builds, which may be too short for a segment, else about the last change of its
 * failure rate.
 */
export function describeStory(segments: readonly TestSegment[], rows: readonly FailingRow[]): StoryPart[] {
  const last = segments.at(-1)
  if (!last) return ['No results of builds are on record yet.']
  const brokenAt = segments.findLastIndex(({ state }) => state === 'broken')
  if (brokenAt >= 0) return describeBreak(segments, brokenAt)
  const [row, ...others] = rows
  if (row && others.length === 0) return describeRow(row)
  const before = segments.at(-2)
  if (!before)
    return [`${capitalize(describe(last))} since the first build on record, `, last.first_build, '.']
  return [
    `${capitalize(describe(before))} until `,
    before.last_build,
    `, ${describe(last)} since `,
    ...describeStart(last),
    '.',
  ]
}

function describeRow({
  passed_before: before,
  first_build: first,
  builds,
  fixed_by: fixed,
}: FailingRow): StoryPart[] {
  return [
    ...(before ? ['Last green ', before, ', broken at '] : ['Broken at ']),
    first,
    fixed ? ` for ${builds} builds, fixed by ` : `, and failed in ${builds} builds since then`,
    ...(fixed ? [fixed] : []),
    '.',
  ]
}

function describeBreak(segments: readonly TestSegment[], at: number): StoryPart[] {
  const [before, broken, after] = [segments[at - 1], segments[at], segments[at + 1]]
  if (!broken) return []
  const start: StoryPart[] = before
    ? ['Last green ', before.last_build, ', broken at ', ...describeStart(broken)]
    : ['Broken since the first build on record, ', broken.first_build]
  if (!after) return [...start, ', and broken since then.']
  const isFixed = after.state === 'healthy' || after.failures.count === 0
  const word = isFixed ? ', fixed by ' : `, ${describe(after)} since `
  return [...start, word, ...describeStart(after), '.']
}

/** One build where the border is known, else the interval that it lies in. */
function describeStart({
  first_build,
  earliest_first_build: from,
  latest_first_build: to,
}: TestSegment): StoryPart[] {
  const isKnown = from === null || to === null || from.group === to.group
  return isKnown
    ? [first_build]
    : [first_build, ' (99 % sure between ', { near: from }, ' and ', { near: to }, ')']
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
