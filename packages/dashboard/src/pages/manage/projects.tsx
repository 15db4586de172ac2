import { useInfiniteQuery } from '@tanstack/react-query'
import type { ProcedureListItem } from '@runledger/protocol'
import { useState } from 'react'
import { projectsQuery } from '../../api/manage'
import { service } from '../../api/service'
import { TextField } from '../../ui/field'
import { PageTitle } from '../../ui/page-title'
import { MinuteTime } from '../../ui/time-text'
import { AddButton } from './add-button'
import { ChangeForm } from './change-form'
import { useChange } from './manage-context'
import { ManagedList } from './managed-list'
import { ManagedRow } from './managed-row'
import { renameAndDelete } from './rename-and-delete'

/** Every project and procedure of a line: both have runs, and one set of operations. */
export function Projects() {
  return (
    <section aria-label="Projects" className="flex flex-col gap-4">
      <PageTitle text="Projects" />
      <p className="max-w-prose text-sm text-soft">
        A project has the runs of a repository’s tests, or of one procedure of a production line. Reporters
        name it by its identifier, which stays when the name changes.
      </p>
      <AddButton word="Create a project">
        {(opener, close) => <ProjectForm opener={opener} onClose={close} />}
      </AddButton>
      <ProjectList />
    </section>
  )
}

function ProjectForm({ opener, onClose }: { opener: HTMLElement | undefined; onClose: () => void }) {
  const [name, setName] = useState('')
  const [identifier, setIdentifier] = useState('')
  const body = { name, identifier: identifier.trim() || undefined }
  return (
    <ChangeForm
      label="Create a project"
      word="Create it"
      change={useChange(() => service.createProcedure({ body }), onClose)}
      opener={opener}
      onCancel={onClose}
      className="rounded-lg border border-line bg-surface"
    >
      <div className="flex flex-wrap gap-3">
        <TextField label="Name" value={name} onChange={setName} maxLength={255} isFirst />
        <TextField
          label="Identifier, such as FVT1; by default made from the name"
          value={identifier}
          onChange={setIdentifier}
          maxLength={255}
          isOptional
        />
      </div>
    </ChangeForm>
  )
}

function ProjectList() {
  const read = useInfiniteQuery(projectsQuery)
  return (
    <ManagedList
      read={read}
      items={read.data?.pages.flatMap(({ data }) => data)}
      what="projects"
      rows={4}
      rowClass="h-16"
    >
      {(project) => <ProjectRow key={project.id} project={project} />}
    </ManagedList>
  )
}

function ProjectRow({ project: { id, identifier, name, created_at: at } }: { project: ProcedureListItem }) {
  const params = { id }
  return (
    <ManagedRow
      name={name}
      facts={[
        { label: 'Identifier', value: identifier },
        { label: 'Created', value: <MinuteTime at={at} /> },
      ]}
      forms={renameAndDelete({
        name,
        rename: (next) => service.updateProcedure({ params, body: { name: next } }),
        remove: () => service.deleteProcedure({ params }),
        consequence:
          'All its runs with their files, the history of its tests, its versions and its keys are deleted, too. This cannot be undone.',
      })}
    />
  )
}
