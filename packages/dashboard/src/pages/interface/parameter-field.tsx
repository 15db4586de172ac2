import type { OpenApiParameter } from '@runledger/protocol'
import { useId } from 'react'
import { isList } from './build-request'
import { describeType, resolveSchema, type Components } from './describe-type'

interface ParameterFieldProps {
  parameter: OpenApiParameter
  components: Components
  value: string
  onChange: (value: string) => void
}

const INPUT = 'min-h-9 w-full min-w-0 rounded-md border border-soft bg-surface px-2 font-mono text-sm'

/** A field for one parameter: a choice where there is one, a line for each value of a list. */
export function ParameterField({ parameter, components, value, onChange }: ParameterFieldProps) {
  const inputId = useId()
  const schema = resolveSchema(parameter.schema, components)
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum?.map(String)
  return (
    <div className="grid items-start gap-x-3 gap-y-0.5 sm:grid-cols-[11rem_minmax(0,1fr)]">
      <label htmlFor={inputId} className="pt-1.5 text-sm wrap-anywhere">
        <code className="font-mono">{parameter.name}</code>
        {parameter.required && <span className="text-warn"> *</span>}
      </label>
      {choices ? (
        <select
          id={inputId}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className={INPUT}
        >
          <option value="">
            {schema.default === undefined ? '' : `${String(schema.default)} (default)`}
          </option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : isList(schema) ? (
        <textarea
          id={inputId}
          rows={Math.max(1, value.split('\n').length)}
          placeholder="one on each line"
          spellCheck={false}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className={`${INPUT} py-1.5`}
        />
      ) : (
        <input
          id={inputId}
          spellCheck={false}
          autoComplete="off"
          placeholder={placeholderOf(parameter, components)}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className={INPUT}
        />
      )}
    </div>
  )
}

function placeholderOf({ schema }: OpenApiParameter, components: Components): string {
  const whole = resolveSchema(schema, components)
  const shown = whole.default ?? whole.examples?.[0]
  return shown === undefined ? describeType(schema, components) : String(shown)
}
