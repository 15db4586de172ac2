import type { Settings } from '@runledger/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { proceduresQuery } from '../../api/history'
import { Button } from '../../ui/button'
import { NumberField } from '../../ui/field'
import { ReferenceField } from './reference-field'

type Rules = Settings['retention.days_by_procedure']

const CHOOSE = { value: '', text: 'Choose one' }
const MAX_DAYS = 36_500

/** Other limits of days for single projects, by their identifiers or ids. */
export function RetentionRules({ rules, onChange }: { rules: Rules; onChange: (rules: Rules) => void }) {
  const projects = useQuery(proceduresQuery)
  const [project, setProject] = useState('')
  const [days, setDays] = useState(Number.NaN)
  const nameOf = (key: string) =>
    projects.data?.data.find(({ id, identifier }) => key === id || key === identifier)?.name ?? key
  const remove = (removed: string) =>
    onChange(Object.fromEntries(Object.entries(rules).filter(([key]) => key !== removed)))
  const add = () => {
    onChange({ ...rules, [project]: Number.isNaN(days) ? null : days })
    setProject('')
    setDays(Number.NaN)
  }
  return (
    <>
      <ul className="flex flex-col gap-1">
        {Object.entries(rules).map(([key, limit]) => (
          <li key={key} className="flex flex-wrap items-center gap-2">
            <span className="wrap-anywhere">
              {nameOf(key)}: {limit === null ? 'never' : `${limit} days`}
            </span>
            <Button onClick={() => remove(key)}>
              Remove<span className="sr-only"> the rule of {nameOf(key)}</span>
            </Button>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-end gap-3">
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
        <Button disabled={project === ''} onClick={add}>
          Add the rule
        </Button>
      </div>
    </>
  )
}
