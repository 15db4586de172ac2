import { Button } from './button'

interface TogglesProps<Value extends string> {
  label: string
  values: readonly Value[]
  chosen: readonly Value[]
  wordOf: (value: Value) => string
  onChange: (chosen: Value[]) => void
}

/** Buttons that stay down, any number of them at once. */
export function Toggles<Value extends string>({
  label,
  values,
  chosen,
  wordOf,
  onChange,
}: TogglesProps<Value>) {
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-1.5">
      {values.map((value) => (
        <Button
          key={value}
          pressed={chosen.includes(value)}
          onClick={() => onChange(toggle(values, chosen, value))}
        >
          {wordOf(value)}
        </Button>
      ))}
    </div>
  )
}

/** Puts a value in or takes it out; the others stay, in their order. */
export function toggle<Value>(values: readonly Value[], chosen: readonly Value[], value: Value): Value[] {
  return values.filter((one) => chosen.includes(one) !== (one === value))
}
