import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { proceduresQuery } from '../../api/history'
import { Button } from '../../ui/button'
import { NumberField } from '../../ui/field'
import { CHOOSE, ReferenceField } from './reference-field'
import type { RuleChanges, Rules } from './settings-changes'

export const MAX_DAYS = 36_500

interface RetentionRulesProps {
  rules: Rules
  onChange: (changes: RuleChanges) => void
}

/** Other limits of days for single projects, by their identifiers or ids. */
export function RetentionRules({ rules, onChange }: RetentionRulesProps) {
  const projects = useQuery(proceduresQuery)
  const [project, setProject] = useState('')
  const [days, setDays] = useState(Number.NaN)
  const keysOf = (wanted: string) => {
    const found = projects.data?.data.find(({ id, identifier }) => isKey(wanted, { id, identifier }))
    return {
      name: found?.name ?? wanted,
      keys: Object.keys(rules).filter((key) => found && isKey(key, found)),
    }
  }
  const add = (form: HTMLFormElement | null) => {
    if (project === '' || !form?.reportValidity()) return
    const others = Object.fromEntries(keysOf(project).keys.map((key) => [key, undefined]))
    onChange({ ...others, [project]: Number.isNaN(days) ? null : days })
    setProject('')
    setDays(Number.NaN)
  }
  return (
    <>
      <RuleList rules={rules} nameOf={(key) => keysOf(key).name} onChange={onChange} />
      <div
        className="flex flex-wrap items-end gap-3"
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
          event.preventDefault()
          add(event.target.form)
        }}
      >
        <ReferenceField
          label="A rule for one project"
          first={CHOOSE}
          read={projects}
          value={project}
          onChange={setProject}
          isOptional
        />
        <NumberField
          label="Its days; empty for never"
          value={days}
          onChange={setDays}
          min={1}
          max={MAX_DAYS}
        />
        <Button disabled={project === ''} onClick={({ currentTarget }) => add(currentTarget.form)}>
          Add the rule
        </Button>
      </div>
    </>
  )
}

interface RuleListProps extends RetentionRulesProps {
  nameOf: (key: string) => string
}

function RuleList({ rules, nameOf, onChange }: RuleListProps) {
  return (
    <ul className="flex flex-col gap-1">
      {Object.entries(rules).map(([key, limit]) => (
        <li key={key} className="flex flex-wrap items-center gap-2">
          <span className="wrap-anywhere">
            {nameOf(key)}: {limit === null ? 'never' : `${limit} days`}
          </span>
          <Button onClick={() => onChange({ [key]: undefined })}>
            Remove<span className="sr-only"> the rule of {nameOf(key)}</span>
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** Whether the key of a rule means the project. */
function isKey(key: string, { id, identifier }: { id: string; identifier: string }): boolean {
  return key === id || key.toLowerCase() === identifier.toLowerCase()
}
