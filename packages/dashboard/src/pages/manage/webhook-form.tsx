import {
  type CreatedWebhook,
  WEBHOOK_EVENTS,
  type WebhookEvent,
  type WebhookFormat,
} from '@runledger/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { proceduresQuery } from '../../api/history'
import { service } from '../../api/service'
import { NumberField, SelectField, TextField } from '../../ui/field'
import { useChange } from './admin-key'
import { FormEnd } from './form-end'

const ALL = 'all'
const FORMATS = [
  { value: 'json', text: 'Signed JSON' },
  { value: 'slack', text: 'Text for Slack' },
] as const satisfies { value: WebhookFormat; text: string }[]

const EVENT_WORDS: Record<WebhookEvent, string> = {
  'test.newly_failing': 'A test began to fail',
  'test.fixed': 'A test is fixed',
  'test.newly_flaky': 'A test became flaky',
  'test.failing_in_a_row': 'A test failed three times in a row',
  'build.incomplete': 'A build is incomplete',
  'line.yield_below': 'The yield is below its limit',
  'line.out_of_control': 'A measurement is out of control',
}

/** `onDone` gets nothing when it is cancelled. */
export function WebhookForm({ onDone }: { onDone: (created?: CreatedWebhook) => void }) {
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const [format, setFormat] = useState<WebhookFormat>('json')
  const [events, setEvents] = useState<readonly WebhookEvent[]>(WEBHOOK_EVENTS)
  const [procedure, setProcedure] = useState(ALL)
  const [percent, setPercent] = useState(Number.NaN)
  const add = useChange(
    (_: undefined, key) =>
      service.createWebhook(
        {
          body: {
            name,
            url,
            format,
            // With all of them it also gets those of later versions.
            events: events.length === WEBHOOK_EVENTS.length ? undefined : [...events],
            procedure_ids: procedure === ALL ? undefined : [procedure],
            yield_below: Number.isNaN(percent) ? undefined : percent / 100,
          },
        },
        key,
      ),
    onDone,
  )
  return (
    <form
      aria-label="Add a webhook"
      className="flex flex-col gap-3 rounded-lg border border-line bg-surface px-4 py-3 text-sm"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate(undefined)
      }}
    >
      <div className="flex flex-wrap gap-3">
        <TextField label="Name" value={name} onChange={setName} maxLength={255} />
        <TextField label="Address" type="url" value={url} onChange={setUrl} />
        <SelectField label="Format" value={format} options={FORMATS} onChange={setFormat} />
      </div>
      <EventChoice chosen={events} onChange={setEvents} />
      <div className="flex flex-wrap gap-3">
        <ProcedureField value={procedure} onChange={setProcedure} />
        <NumberField
          label="Limit of the yield in percent, if there is one"
          value={percent}
          onChange={setPercent}
          min={0}
          max={100}
          step="any"
        />
      </div>
      <FormEnd word="Add it" isIncomplete={events.length === 0} send={add} onCancel={() => onDone()} />
    </form>
  )
}

interface EventChoiceProps {
  chosen: readonly WebhookEvent[]
  onChange: (events: readonly WebhookEvent[]) => void
}

function EventChoice({ chosen, onChange }: EventChoiceProps) {
  return (
    <fieldset>
      <legend>Messages</legend>
      <div className="mt-1 flex flex-wrap gap-x-5 gap-y-1">
        {WEBHOOK_EVENTS.map((event) => (
          <label key={event} className="flex items-center gap-2">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={chosen.includes(event)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, event] : chosen.filter((each) => each !== event))
              }
            />
            {EVENT_WORDS[event]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

interface ProcedureFieldProps {
  value: string
  onChange: (id: string) => void
}

function ProcedureField({ value, onChange }: ProcedureFieldProps) {
  const { data } = useQuery(proceduresQuery)
  const projects = (data?.data ?? []).map(({ id, name }) => ({ value: id, text: name }))
  const options = [{ value: ALL, text: 'All projects' }, ...projects]
  return <SelectField label="Project" value={value} options={options} onChange={onChange} />
}
