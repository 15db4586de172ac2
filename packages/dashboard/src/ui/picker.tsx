import { useId } from 'react'

interface PickerProps {
  label: string
  /** The option that restricts nothing, where there is one. */
  all?: string
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
        {all !== undefined && <option value="">{all}</option>}
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

interface ChoiceProps<Value extends string> {
  label: string
  value: Value
  /** What each value is called. */
  words: Readonly<Record<Value, string>>
  onChoose: (value: Value) => void
}

/** A list from which one value is always chosen. */
export function Choice<Value extends string>({ label, value, words, onChoose }: ChoiceProps<Value>) {
  const options = Object.entries<string>(words).map(([one, text]) => ({ value: one, text }))
  return <Picker label={label} value={value} options={options} onChoose={(one) => onChoose(one as Value)} />
}
