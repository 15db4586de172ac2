import type { OpenApiDocument } from '@runledger/protocol'
import { useEffect, useRef, useState } from 'react'
import { Card } from '../../ui/card'
import type { DescribedOperation, OperationGroup } from './list-operations'
import { OperationView } from './operation-view'

interface OperationGroupProps {
  group: OperationGroup
  description: OpenApiDocument
  apiKey: string
  /** The operation that the page's address names. */
  openOperation: string
}

/** The operations of one tag, each folded until it is looked at. */
export function OperationGroupCard({ group, description, apiKey, openOperation }: OperationGroupProps) {
  return (
    <Card title={group.tag} aside={<span className="text-sm text-soft">{group.operations.length}</span>}>
      <ul>
        {group.operations.map((operation) => (
          <li key={operation.operationId} className="border-b border-line last:border-b-0">
            <OperationItem
              operation={operation}
              description={description}
              apiKey={apiKey}
              isNamed={operation.operationId === openOperation}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}

interface OperationItemProps {
  operation: DescribedOperation
  description: OpenApiDocument
  apiKey: string
  isNamed: boolean
}

function OperationItem({ operation, description, apiKey, isNamed }: OperationItemProps) {
  const [isOpen, setIsOpen] = useState(isNamed)
  const place = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (!isNamed) return
    setIsOpen(true)
    place.current?.scrollIntoView({ block: 'start' })
  }, [isNamed])
  return (
    <details
      ref={place}
      id={operation.operationId}
      open={isOpen}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      className="scroll-mt-4"
    >
      <summary className="flex list-none flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2.5 hover:bg-sunken">
        <MethodBadge method={operation.method} />
        <code className="min-w-0 font-mono text-sm font-medium wrap-anywhere md:w-96 md:shrink-0">
          {operation.path}
        </code>
        <span className="min-w-0 basis-full text-sm text-soft md:grow md:basis-60">{operation.summary}</span>
      </summary>
      {isOpen && <OperationView operation={operation} description={description} apiKey={apiKey} />}
    </details>
  )
}

const METHOD_LOOKS: Readonly<Record<string, string>> = {
  GET: 'bg-quiet-tint text-quiet',
  HEAD: 'bg-quiet-tint text-quiet',
  DELETE: 'bg-bad-tint text-bad',
}

function MethodBadge({ method }: { method: string }) {
  const look = METHOD_LOOKS[method] ?? 'bg-good-tint text-good'
  return (
    <span className={`w-16 shrink-0 rounded py-0.5 text-center font-mono text-xs font-semibold ${look}`}>
      {method}
    </span>
  )
}
