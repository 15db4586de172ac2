import type { TestDetail } from '@runledger/protocol'
import { firstLine } from '@runledger/protocol/reading'
import { Link } from '@tanstack/react-router'
import { errorLink } from '../../history-links'
import { ROW_LINK } from '../../navigation/keys'
import { BuildName } from '../../parts/build-name'
import { Card } from '../../ui/card'
import { RelativeTime } from '../../ui/time-text'

/** Why the test failed, each error once. */
export function TestErrors({ errors }: Pick<TestDetail, 'errors'>) {
  if (errors.length === 0) return null
  return (
    <Card title="Its errors">
      <ul className="divide-y divide-line">
        {errors.map(({ fingerprint, message, count, last_build: build }) => (
          <li key={fingerprint} className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-2.5">
            <span className="numeric w-12 shrink-0 font-semibold">{count.toLocaleString('en')} ×</span>
            <Link
              {...errorLink(fingerprint)}
              {...ROW_LINK}
              className="min-w-0 flex-1 basis-60 font-mono text-sm wrap-anywhere text-bad"
            >
              {firstLine(message)}
            </Link>
            <span className="text-sm text-soft">
              last in <BuildName build={build} />, <RelativeTime at={build.started_at} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
