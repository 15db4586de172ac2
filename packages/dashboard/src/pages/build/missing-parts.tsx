import type { Build } from '@runledger/protocol'
import { RelativeTime } from '../../ui/time-text'

/** The missing parts of the build, above the recorded ones. */
export function MissingParts({
  build: { state, missing, last_reported_at: lastReportedAt },
}: {
  build: Build
}) {
  return (
    <section
      aria-label="What is missing"
      className="flex flex-col gap-1 rounded-lg border border-warn bg-warn-tint px-4 py-3"
    >
      <h2 className="font-semibold">
        {state === 'incomplete' ? 'Not all of this build is on record' : 'This build is running'}
      </h2>
      <ul className="list-disc pl-5">
        {missing.map((clause, index) => (
          // Executions of one minute on one machine may be called the same.
          <li key={`${index} ${clause}`} className="wrap-anywhere">
            {clause}
          </li>
        ))}
      </ul>
      <p className="text-sm text-soft">
        Last reported <RelativeTime at={lastReportedAt} />
      </p>
    </section>
  )
}
