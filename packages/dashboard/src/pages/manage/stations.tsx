import type { StationListItem } from '@runledger/protocol'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Cpu } from 'lucide-react'
import { useState } from 'react'
import { proceduresQuery } from '../../api/history'
import { managedStationsQuery } from '../../api/manage'
import { service } from '../../api/service'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { TextField } from '../../ui/field'
import { PageTitle } from '../../ui/page-title'
import { AddButton } from './add-button'
import { ChangeForm, NotDone } from './change-form'
import { useChange } from './manage-context'
import { ManagedList } from './managed-list'
import { ManagedRow } from './managed-row'
import { CHOOSE, ReferenceField } from './reference-field'
import { renameAndDelete } from './rename-and-delete'

/** Every station with the projects whose runs its keys may create. */
export function Stations() {
  return (
    <section aria-label="Stations" className="flex flex-col gap-4">
      <PageTitle text="Stations" />
      <p className="max-w-prose text-sm text-soft">
        A station is a bench or a CI runner with keys of its own. Its keys create runs only of the projects
        that are linked to it.
      </p>
      <AddButton word="Create a station">
        {(opener, close) => <StationForm opener={opener} onClose={close} />}
      </AddButton>
      <StationList />
    </section>
  )
}

const LATER = { value: '', text: 'None yet' }
function StationForm({ opener, onClose }: { opener: HTMLElement | undefined; onClose: () => void }) {
  const [name, setName] = useState('')
  const [project, setProject] = useState('')
  const body = { name, procedure_id: project || undefined }
  return (
    <ChangeForm
      label="Create a station"
      word="Create it"
      change={useChange(() => service.createStation({ body }), onClose)}
      opener={opener}
      onCancel={onClose}
      className="rounded-lg border border-line bg-surface"
    >
      <div className="flex flex-wrap gap-3">
        <TextField label="Name" value={name} onChange={setName} maxLength={255} isFirst />
        <ReferenceField
          label="Project"
          first={LATER}
          read={useQuery(proceduresQuery)}
          value={project}
          onChange={setProject}
          isOptional
        />
      </div>
    </ChangeForm>
  )
}

function StationList() {
  const read = useInfiniteQuery(managedStationsQuery)
  return (
    <ManagedList
      read={read}
      items={read.data?.pages.flatMap(({ data }) => data)}
      what="stations"
      rows={3}
      rowClass="h-24"
      empty={
        <EmptyState icon={Cpu} title="There are no stations">
          <p className="max-w-prose text-soft">A bench of a production line needs one.</p>
        </EmptyState>
      }
    >
      {(station) => <StationRow key={station.id} station={station} />}
    </ManagedList>
  )
}

function StationRow({ station }: { station: StationListItem }) {
  const { id, identifier, name } = station
  const params = { id }
  return (
    <ManagedRow
      name={name}
      facts={[{ label: 'Identifier', value: identifier }]}
      forms={{
        'Link a project': (opener, onClose) => (
          <LinkForm station={station} opener={opener} onClose={onClose} />
        ),
        ...renameAndDelete({
          name,
          rename: (next) => service.updateStation({ params, body: { name: next } }),
          remove: () => service.deleteStation({ params }),
          consequence: 'Its keys stop working at once. Its runs stay; its uploads without a run are deleted.',
        }),
      }}
    >
      <Links station={station} />
    </ManagedRow>
  )
}

interface LinkFormProps {
  station: StationListItem
  opener: HTMLElement
  onClose: () => void
}

function LinkForm({ station: { id, name }, opener, onClose }: LinkFormProps) {
  const [project, setProject] = useState('')
  const link = useChange(
    () => service.linkStationProcedure({ params: { id, procedure_id: project } }),
    onClose,
  )
  return (
    <ChangeForm
      label={`Link a project to ${name}`}
      word="Link it"
      change={link}
      opener={opener}
      onCancel={onClose}
      className="border-t border-line bg-sunken"
    >
      <ReferenceField
        label="Project"
        first={CHOOSE}
        read={useQuery(proceduresQuery)}
        value={project}
        onChange={setProject}
        isFirst
      />
    </ChangeForm>
  )
}

function Links({ station }: { station: StationListItem }) {
  const { procedures, procedures_count: count } = station
  if (count === 0) return <p className="text-sm text-soft">No project is linked to it.</p>
  return (
    <ul className="flex flex-wrap gap-2 text-sm">
      {procedures.map((project) => (
        <LinkedProject key={project.id} station={station} project={project} />
      ))}
      {count > procedures.length && <li className="text-soft">and {count - procedures.length} more</li>}
    </ul>
  )
}

interface LinkedProjectProps {
  station: StationListItem
  project: StationListItem['procedures'][number]
}

function LinkedProject({ station, project }: LinkedProjectProps) {
  const params = { id: station.id, procedure_id: project.id }
  const unlink = useChange(() => service.unlinkStationProcedure({ params }))
  return (
    <li className="flex flex-wrap items-center gap-2">
      <span className="wrap-anywhere">{project.name}</span>
      <Button disabled={unlink.isPending} onClick={() => unlink.mutate()}>
        Unlink
        <span className="sr-only">
          {' '}
          {project.name} from {station.name}
        </span>
      </Button>
      {unlink.error && <NotDone error={unlink.error} />}
    </li>
  )
}
