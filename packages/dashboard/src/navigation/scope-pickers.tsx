import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { branchesQuery, proceduresQuery } from '../api/history'
import type { Scope } from '../page-search'
import { Picker } from '../ui/picker'

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
