import type { Build, Cause } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { ErrorName } from '../../parts/error-name'
import { describePlace, RunOf, TestName } from '../../parts/test-name'
import { Card } from '../../ui/card'

/** Why the build failed: each error once, however many tests it hit, the most tests first. */
export function Causes({ build }: { build: Build }) {
  const { causes, causes_count: count } = build
  if (causes.length === 0) return null
  return (
    <Card title={`Why it failed: ${formatCount(count, 'cause')}`}>
      <ol className="divide-y divide-line">
        {causes.map((cause) => (
          <CauseRow key={cause.fingerprint} cause={cause} />
        ))}
      </ol>
      {count > causes.length && (
        <p className="border-t border-line px-4 py-2 text-sm text-soft">
          and {formatCount(count - causes.length, 'more cause')} with fewer tests
        </p>
      )}
    </Card>
  )
}

function CauseRow({ cause }: { cause: Cause }) {
  const { location, tests_count: count, tests } = cause
  return (
    <li className="border-l-4 border-l-bad px-4 py-3">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="numeric shrink-0 font-semibold">{formatCount(count, 'test')}</span>
        <ErrorName error={cause} />
        {location !== null && <span className="font-mono text-sm wrap-anywhere text-soft">{location}</span>}
      </p>
      <details className="mt-1 text-sm" open={count <= 3}>
        <summary className="text-soft hover:text-ink">
          {tests.length < count ? `The first ${tests.length} of its tests` : 'Its tests'}
        </summary>
        <ul className="mt-1 flex flex-col gap-1">
          {tests.map((test) => (
            <li key={`${test.id} ${test.run_id}`} className="flex flex-wrap items-baseline gap-x-2">
              <TestName test={test} />
              <span className="wrap-anywhere text-soft">{describePlace(test)}</span>
              <RunOf runId={test.run_id} name={test.name} />
            </li>
          ))}
        </ul>
      </details>
    </li>
  )
}
