import type { RunDetail } from '@runledger/protocol'
import { webLink } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { buildLink } from '../../history-links'
import { Card } from '../../ui/card'

export function ReportVariables({ variables }: { variables: RunDetail['metadata'] }) {
  return (
    <Card title="Report variables">
      <dl className="divide-y divide-line">
        {Object.entries(variables).map(([name, value]) => (
          <div key={name} className="px-4 py-2 sm:grid sm:grid-cols-[14rem_minmax(0,1fr)] sm:gap-4">
            <dt className="text-sm wrap-anywhere text-soft">{name}</dt>
            <dd className="break-words whitespace-pre-wrap wrap-anywhere">
              <VariableValue name={name} value={String(value)} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

function VariableValue({ name, value }: { name: string; value: string }) {
  if (name === 'group') return <Link {...buildLink(value)}>{value}</Link>
  const address = name === 'ci_build_url' ? webLink(value) : undefined
  if (address === undefined) return value
  return (
    <a href={address} rel="noreferrer noopener" target="_blank">
      {value}
    </a>
  )
}
