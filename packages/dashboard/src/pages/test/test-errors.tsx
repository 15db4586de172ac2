import type { TestDetail } from '@runledger/protocol'
import { BuildName } from '../../parts/build-name'
import { ErrorName } from '../../parts/error-name'
import { Card } from '../../ui/card'
import { RelativeTime } from '../../ui/time-text'

/** Why the test failed, each error once. */
export function TestErrors({ errors }: Pick<TestDetail, 'errors'>) {
  if (errors.length === 0) return null
  return (
    <Card title="Its errors">
      <ul className="divide-y divide-line">
        {errors.map((error) => (
          <li key={error.fingerprint} className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-2.5">
            <span className="numeric w-12 shrink-0 font-semibold">{error.count.toLocaleString('en')} ×</span>
            <ErrorName error={error} className="flex-1 basis-60" />
            <span className="text-sm text-soft">
              last in <BuildName build={error.last_build} />,{' '}
              <RelativeTime at={error.last_build.started_at} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
