import type { OpenApiDocument } from '@runledger/protocol'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { useMemo, useState } from 'react'
import { descriptionQuery } from '../../api/description'
import { Unread } from '../../parts/unread'
import { EmptyState } from '../../ui/empty-state'
import { InterfaceHead } from './interface-head'
import { listOperations } from './list-operations'
import { OperationGroupCard } from './operation-group'
import { PageTitle } from '../../ui/page-title'

export function InterfacePage() {
  const read = useQuery(descriptionQuery)
  if (read.data) return <InterfaceView description={read.data} />
  return <Unread read={read} label="Reading the API" title="The API could not be read" rows={10} />
}

function InterfaceView({ description }: { description: OpenApiDocument }) {
  const [search, setSearch] = useState('')
  // In the memory of this page alone: it is gone with the page.
  const [apiKey, setApiKey] = useState('')
  const { hash } = useLocation()
  const groups = useMemo(() => listOperations(description, search), [description, search])
  return (
    <div className="flex flex-col gap-5">
      <PageTitle text="API" />
      <InterfaceHead description={description} search={search} onSearch={setSearch} onApiKey={setApiKey} />
      {groups.length === 0 && (
        <EmptyState icon={SearchX} title="No operation has these words">
          <p className="text-soft">Search by path, method or what an operation is for.</p>
        </EmptyState>
      )}
      {groups.map((group) => (
        <OperationGroupCard
          key={group.tag}
          group={group}
          description={description}
          apiKey={apiKey}
          openOperation={hash}
        />
      ))}
    </div>
  )
}
