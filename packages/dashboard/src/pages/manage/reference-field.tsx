import type { UseQueryResult } from '@tanstack/react-query'
import { SelectField } from '../../ui/field'

export const CHOOSE = { value: '', text: 'Choose one' }

interface Reference {
  id: string
  name: string
  identifier: string
}

interface ReferenceFieldProps {
  label: string
  /** The first choice. */
  first: { value: string; text: string }
  read: UseQueryResult<{ data: readonly Reference[]; meta: { has_more: boolean } }>
  value: string
  onChange: (id: string) => void
  isOptional?: boolean
  isFirst?: boolean
}

/** Chooses a project or a station. */
export function ReferenceField({ label, first, read, value, onChange, ...rest }: ReferenceFieldProps) {
  const references = (read.data?.data ?? []).toSorted((a, b) => a.name.localeCompare(b.name))
  const options = references.map(({ id, name, identifier }) => ({
    value: id,
    text: name === identifier ? name : `${name} (${identifier})`,
  }))
  const isEmpty = read.data?.data.length === 0
  return (
    <div className="min-w-0 grow basis-60">
      <SelectField label={label} value={value} options={[first, ...options]} onChange={onChange} {...rest} />
      {read.error && <Unlisted error={read.error} />}
      {isEmpty && <p className="text-soft">There are none yet.</p>}
      {read.data?.meta.has_more && (
        <p className="text-soft">
          Only the newest {references.length} are listed; the command line accepts all.
        </p>
      )}
    </div>
  )
}

export function Unlisted({ error }: { error: Error }) {
  return <p className="text-bad">They could not be read: {error.message}</p>
}
