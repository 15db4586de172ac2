import type { SkippedTest } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { Badge } from '../../ui/badge'
import { LazyList } from '../../ui/lazy-list'
import { Place } from '../../parts/place'
import { useRunFacts } from './run-context'
import { StepName, Tags } from './step-facts'

// More than these are shown when asked for.
const FEW = 10

export function SkippedTests({ tests }: { tests: SkippedTest[] }) {
  const { linkSource } = useRunFacts()
  return (
    <section aria-labelledby="skipped" className="rounded-lg border border-line bg-surface">
      <details open={tests.length <= FEW}>
        <summary className="px-4 py-2.5">
          <h2 id="skipped" className="inline text-base font-semibold">
            {formatCount(tests.length, 'skipped test')}
          </h2>
        </summary>
        <LazyList
          items={tests.map((test, index) => ({ ...test, index }))}
          label="Skipped tests"
          rowsAtOnce={25}
          rowPx={44}
          keyOf={({ index }) => index}
          className="divide-y divide-line border-t border-line"
          renderRow={({ name, reason, location, tags }) => (
            <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2 md:grid md:grid-cols-[6.5rem_minmax(0,1fr)_minmax(0,1fr)]">
              <span>
                <Badge tone="quiet" word="Skipped" />
              </span>
              <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-1 max-md:w-full">
                <StepName name={name} />
                <Tags tags={tags} />
              </span>
              <span className="flex min-w-0 flex-wrap items-baseline gap-x-4 gap-y-1 text-sm max-md:w-full">
                <span className="text-soft wrap-anywhere">{reason ?? 'no reason given'}</span>
                {location && <Place location={location} linkSource={linkSource} />}
              </span>
            </li>
          )}
        />
      </details>
    </section>
  )
}
