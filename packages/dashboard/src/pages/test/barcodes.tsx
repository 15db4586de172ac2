import type { TestDetail, TestResult } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import type { KeyboardEvent } from 'react'
import { formatMinute } from '../../format/date'
import { formatGroup } from '../../format/group'
import { formatMs } from '../../format/rate'
import { runLink } from '../../links'
import { shortenHash } from '../../parts/build-name'

const SHOWN_BRANCHES = 6

/** The results of each branch as bars, the oldest first; each leads to its run. */
export function Barcodes({ test: { results_list: results } }: { test: TestDetail }) {
  const branches = groupByBranch(results)
  const shown = branches.slice(0, SHOWN_BRANCHES)
  return (
    <div className="flex flex-wrap gap-x-8 gap-y-3">
      {shown.map(([branch, ofBranch]) => (
        <Barcode key={branch} branch={branch} results={ofBranch} />
      ))}
      {branches.length > shown.length && (
        <p className="w-full text-sm text-soft">
          and {formatCount(branches.length - shown.length, 'more branch', 'more branches')} in the table below
        </p>
      )}
    </div>
  )
}

/** Those with most results first. */
function groupByBranch(results: readonly TestResult[]): [branch: string, results: TestResult[]][] {
  const branches = new Map<string, TestResult[]>()
  for (const result of results) {
    const branch = result.build.branch ?? 'no branch'
    branches.set(branch, [...(branches.get(branch) ?? []), result])
  }
  return [...branches].sort(([, a], [, b]) => b.length - a.length)
}

function Barcode({ branch, results }: { branch: string; results: TestResult[] }) {
  return (
    <div className={results.length > 30 ? 'w-full' : 'min-w-48'}>
      <p className="mb-1 text-sm">
        <span className="font-medium wrap-anywhere">{branch}</span>{' '}
        <span className="text-soft">{formatCount(results.length, 'result')}, the oldest first</span>
      </p>
      <div
        role="group"
        aria-label={`Results on ${branch}, the oldest first; arrow keys go from one to the next`}
        onKeyDown={moveByKey}
        className="flex h-10 items-end gap-px overflow-x-auto"
        ref={scrollToEnd}
      >
        {results.map((result, index) => (
          <Bar key={`${result.run_id} ${index}`} result={result} isLast={index === results.length - 1} />
        ))}
      </div>
    </div>
  )
}

// Each outcome has a height of its own: the colour is not all that tells them apart.
const BARS = {
  passed: 'h-4 bg-good opacity-60',
  flaky: 'h-7 bg-warn',
  failed: 'h-10 bg-bad',
  skipped: 'h-2 bg-line',
}

/** One of the row can be reached with Tab, the others with the arrow keys. */
function Bar({ result, isLast }: { result: TestResult; isLast: boolean }) {
  const isLeftOut = result.is_infrastructure && result.outcome === 'failed'
  const text = describe(result)
  return (
    <Link
      {...runLink(result.run_id)}
      preload={false}
      tabIndex={isLast ? 0 : -1}
      title={text}
      aria-label={text}
      className="flex h-10 max-w-3 min-w-1 flex-1 items-end focus-visible:outline-offset-0"
    >
      <span
        aria-hidden
        className={`w-full rounded-[1px] ${isLeftOut ? 'h-10 bg-quiet opacity-60' : BARS[result.outcome]}`}
      />
    </Link>
  )
}

function describe({
  outcome,
  build,
  duration_ms: duration,
  is_infrastructure: isInfrastructure,
}: TestResult): string {
  const commit = build.commit === null ? '' : `, ${shortenHash(build.commit)}`
  const author = build.author === null ? '' : ` by ${build.author}`
  const left = isInfrastructure ? ', infrastructure build' : ''
  return `${outcome} in ${formatMs(duration)}, build ${formatGroup(build.group)}${commit}${author}, ${formatMinute(build.started_at)}${left}`
}

function moveByKey(event: KeyboardEvent<HTMLElement>): void {
  const links = [...event.currentTarget.querySelectorAll('a')]
  const at = links.findIndex((link) => link === document.activeElement)
  const places: Partial<Record<string, number>> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    Home: 0,
    End: links.length - 1,
  }
  const next = links[places[event.key] ?? -1]
  if (!next) return
  event.preventDefault()
  next.focus()
}

function scrollToEnd(element: HTMLElement | null): void {
  if (element) element.scrollLeft = element.scrollWidth
}
