import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useId } from 'react'
import { branchesQuery, proceduresQuery } from '../api/history'
import type { Scope } from '../page-search'

/** Chooses the project and the branch that lists show; both stay in the address. */
export function ScopePickers({ hasBranch = true }: { hasBranch?: boolean }) {
  const { procedure, branch } = useSearch({ strict: false }) as Scope
  const procedures = useQuery(proceduresQuery)
  const branches = useQuery({ ...branchesQuery(procedure), enabled: hasBranch })
  const navigate = useNavigate()
  const choose = (scope: Scope) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...scope }) as never })
  const projects = (procedures.data?.data ?? []).map(({ id, name }) => ({ value: id, text: name }))
  return (
    <div className="flex min-w-0 items-center gap-2 max-sm:w-full">
      <Picker
        label="Project"
        all="All projects"
        value={procedure}
        options={projects.sort((a, b) => a.text.localeCompare(b.text))}
        onChoose={(value) => choose({ procedure: value, branch: undefined })}
      />
      {hasBranch && (
        <Picker
          label="Branch"
          all="All branches"
          value={branch}
          options={(branches.data ?? []).map((name) => ({ value: name, text: name }))}
          onChoose={(value) => choose({ branch: value })}
        />
      )}
    </div>
  )
}

interface PickerProps {
  label: string
  /** The option that restricts nothing. */
  all: string
  value: string | undefined
  options: { value: string; text: string }[]
  onChoose: (value: string | undefined) => void
}

/** A list to choose from. What is chosen is an option although it may not be among those that were read. */
export function Picker({ label, all, value = '', options, onChoose }: PickerProps) {
  const id = useId()
  const isListed = value === '' || options.some((option) => option.value === value)
  return (
    <>
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={({ target }) => onChoose(target.value === '' ? undefined : target.value)}
        className="h-9 w-40 truncate rounded-md border border-soft bg-surface px-2 text-sm max-sm:w-36 max-sm:grow"
      >
        {all !== '' && <option value="">{all}</option>}
        {!isListed && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </>
  )
}
