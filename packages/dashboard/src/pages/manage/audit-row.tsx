import type { AuditEntry } from '@runledger/protocol'
import { Link } from '@tanstack/react-router'
import { auditLink } from '../../links'
import { FactLine } from '../../ui/facts'
import { MinuteTime } from '../../ui/time-text'
import { describeOperation, SUBJECT_WORDS } from './audit-words'

export function AuditRow({ entry }: { entry: AuditEntry }) {
  const { operation, subject, created_at: at, actor, address } = entry
  const kind = SUBJECT_WORDS[subject.kind].one
  return (
    <li className="flex flex-col gap-1 px-4 py-3 text-sm">
      <span className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <span className="min-w-0 wrap-anywhere">
          <span className="font-medium">{describeOperation(operation)}</span>
          <span className="text-soft">: {kind} </span>
          <Link
            {...auditLink({ kind: subject.kind, id: subject.id })}
            title="All entries about it"
            className="text-accent hover:underline"
          >
            {subject.name}
          </Link>
        </span>
        <span className="text-soft">
          <MinuteTime at={at} />
        </span>
      </span>
      <FactLine
        facts={[
          { label: 'by', value: describeActor(entry) },
          { label: 'key', value: actor.key?.name },
          { label: 'from', value: address },
        ]}
      />
      <Changes entry={entry} />
    </li>
  )
}

function describeActor({ actor: { kind, name } }: AuditEntry): string {
  if (kind === 'service') return 'the service'
  if (kind === 'user') return name ?? 'a user'
  return name === null ? `a ${kind}` : `the ${kind} ${name}`
}

/** Each value that changed, as it was and as it became. */
function Changes({ entry: { before, after } }: { entry: AuditEntry }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  if (names.length === 0) return null
  return (
    <details>
      <summary className="text-soft hover:text-ink">{names.join(', ')}</summary>
      <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 pl-4">
        {names.map((name) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="min-w-0 wrap-anywhere">
              {before && name in before && (
                <del className="text-soft">
                  <span className="sr-only">before: </span>
                  {formatValue(before[name])}
                </del>
              )}{' '}
              {after && name in after && (
                <ins className="no-underline">
                  <span className="sr-only">after: </span>
                  {formatValue(after[name])}
                </ins>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
