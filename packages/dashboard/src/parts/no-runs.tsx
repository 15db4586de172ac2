import { Link } from '@tanstack/react-router'
import { Plug, SearchX } from 'lucide-react'
import { runListLink } from '../links'
import { EMPTY_FILTER, formatFilterText, type RunFilter } from '../run-filter'
import { buttonClass } from '../ui/button'
import { EmptyState } from '../ui/empty-state'

const REPORTERS = [
  { framework: 'Jest', file: 'jest.config.js', line: "reporters: ['default', '@runledger/jest']" },
  { framework: 'Vitest', file: 'vitest.config.ts', line: "reporters: ['default', '@runledger/vitest']" },
  {
    framework: 'Playwright',
    file: 'playwright.config.ts',
    line: "reporter: [['list'], ['@runledger/playwright']]",
  },
]

/** For a list without runs: nothing matches the filter, or nothing is on record yet and how that changes. */
export function NoRuns({ filter }: { filter: RunFilter }) {
  const filterText = formatFilterText(filter)
  if (filterText !== '') {
    return (
      <EmptyState icon={SearchX} title="No run matches">
        <p className="max-w-full break-words text-soft">
          Looked for <code className="font-mono">{filterText}</code>
        </p>
        <Link {...runListLink(EMPTY_FILTER)} className={buttonClass()}>
          Show all runs
        </Link>
      </EmptyState>
    )
  }
  return (
    <EmptyState icon={Plug} title="No runs on record yet">
      <p className="max-w-prose text-soft">
        Add one line to the configuration of your test framework and start your tests: every test file appears
        here as a run. On the machine of this service, in its folder or below, that is all there is to set up.
      </p>
      <ConnectReporter />
      <p className="max-w-prose text-sm text-soft">
        Elsewhere also set <code className="font-mono">RUNLEDGER_URL</code> to{' '}
        <code className="font-mono wrap-anywhere">{window.location.origin}</code>, and{' '}
        <code className="font-mono">RUNLEDGER_API_KEY</code> and{' '}
        <code className="font-mono">RUNLEDGER_PROCEDURE_ID</code>: the procedure is the name that your runs
        are kept under, usually that of your package.
      </p>
    </EmptyState>
  )
}

function ConnectReporter() {
  return (
    <dl className="flex w-full max-w-2xl flex-col gap-4 text-left">
      {REPORTERS.map(({ framework, file, line }) => (
        <div key={framework}>
          <dt className="text-sm">
            <span className="font-semibold">{framework}</span>
            <span className="text-soft">, in {file}</span>
          </dt>
          <dd
            className="mt-1 overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-sm"
            tabIndex={0}
          >
            {line}
          </dd>
        </div>
      ))}
    </dl>
  )
}
