import type { TestResult } from '@runledger/protocol'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { formatMs } from '../../format/rate'
import { errorLink } from '../../history-links'
import { runLink } from '../../links'
import { BuildName, shortenHash } from '../../parts/build-name'
import { TestOutcomeBadge } from '../../parts/outcome-badge'
import { MinuteTime } from '../../ui/time-text'

/** The results behind the bars and the chart, the newest first. */
export function ResultsTable({ results }: { results: TestResult[] }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="text-sm text-soft hover:text-ink">
        The last {results.length.toLocaleString('en')} results as a table
      </summary>
      {isOpen && (
        <div className="mt-2 max-h-[32rem] overflow-auto" tabIndex={0} role="group" aria-label="Results">
          <table className="w-full text-left text-sm">
            <thead className="text-soft">
              <tr>
                {[
                  'Outcome',
                  'Build',
                  'Branch',
                  'Commit',
                  'Author',
                  'Environment',
                  'Duration',
                  'Started',
                  'More',
                ].map((word) => (
                  <th key={word} scope="col" className="py-1 pr-4 font-normal whitespace-nowrap">
                    {word}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {results.toReversed().map((result, index) => (
                <ResultRow key={`${result.run_id} ${index}`} result={result} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  )
}

function ResultRow({ result }: { result: TestResult }) {
  const { build, fingerprint } = result
  return (
    <tr className="border-t border-line">
      <td className="py-1 pr-4">
        <TestOutcomeBadge outcome={result.outcome} />
      </td>
      <td className="py-1 pr-4">
        <BuildName build={build} />
      </td>
      <td className="py-1 pr-4">{build.branch}</td>
      <td className="py-1 pr-4 font-mono">{build.commit !== null && shortenHash(build.commit)}</td>
      <td className="py-1 pr-4">{build.author}</td>
      <td className="py-1 pr-4 whitespace-nowrap">{result.environment}</td>
      <td className="numeric py-1 pr-4 whitespace-nowrap">{formatMs(result.duration_ms)}</td>
      <td className="py-1 pr-4 whitespace-nowrap">
        <MinuteTime at={build.started_at} />
      </td>
      <td className="py-1 whitespace-nowrap">
        <Link {...runLink(result.run_id)} preload={false}>
          run
        </Link>
        {fingerprint !== null && (
          <>
            {', '}
            <Link {...errorLink(fingerprint)} preload={false}>
              error
            </Link>
          </>
        )}
        {result.is_infrastructure && ', infrastructure'}
      </td>
    </tr>
  )
}
