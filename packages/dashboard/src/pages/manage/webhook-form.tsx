import type { WebhookEvent, WebhookFormat } from '@runledger/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { proceduresQuery } from '../../api/history'
import { service } from '../../api/service'
import { CheckboxField, NumberField, SelectField, TextField } from '../../ui/field'
import { ChangeForm } from './change-form'
import { EVENT_WORDS, EVENTS } from './event-words'
import { useChange, useShowOnce } from './manage-context'
import { ReferenceField } from './reference-field'

const ALL = { value: 'all', text: 'All projects' }

const FORMATS = [
  { value: 'json', text: 'Signed JSON' },
  { value: 'slack', text: 'Text for Slack' },
] as const satisfies { value: WebhookFormat; text: string }[]

interface WebhookFormProps {
  opener: HTMLElement | undefined
  onClose: () => void
}

export function WebhookForm({ opener, onClose }: WebhookFormProps) {
  const showOnce = useShowOnce()
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const [format, setFormat] = useState<WebhookFormat>('json')
  const [events, setEvents] = useState<readonly WebhookEvent[]>(EVENTS)
  const [procedure, setProcedure] = useState(ALL.value)
  const [percent, setPercent] = useState(Number.NaN)
  // Without a list, a webhook also gets the events of later versions.
  const isAll = events.length === EVENTS.length
  const chosen = {
    events: isAll ? undefined : [...events],
    procedure_ids: procedure === ALL.value ? undefined : [procedure],
    yield_below: Number.isNaN(percent) ? undefined : Number((percent / 100).toFixed(6)),
  }
  const change = useChange(
    () => service.createWebhook({ body: { name, url, format, ...chosen } }),
    (webhook) => {
      onClose()
      // Slack checks no signature.
      if (webhook.format === 'json')
        showOnce({ label: `The secret that signs the messages to "${webhook.name}".`, text: webhook.secret })
    },
  )
  return (
    <ChangeForm
      label="Create a webhook"
      word="Create it"
      isIncomplete={events.length === 0}
      change={change}
      opener={opener}
      onCancel={onClose}
      className="rounded-lg border border-line bg-surface"
    >
      <div className="flex flex-wrap gap-3">
        <TextField label="Name" value={name} onChange={setName} maxLength={255} isFirst />
        <TextField label="Address" type="url" value={url} onChange={setUrl} />
        <SelectField label="Format" value={format} options={FORMATS} onChange={setFormat} />
      </div>
      <EventChoice chosen={events} onChange={setEvents} />
      <div className="flex flex-wrap gap-3">
        <ProjectField value={procedure} onChange={setProcedure} />
        <NumberField
          label="Limit of the yield in percent; without one, no message about it"
          value={percent}
          onChange={setPercent}
          min={0.01}
          max={100}
          step="any"
          isRequired={!isAll && events.includes('line.yield_below')}
        />
      </div>
    </ChangeForm>
  )
}

function ProjectField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const read = useQuery(proceduresQuery)
  return <ReferenceField label="Project" first={ALL} read={read} value={value} onChange={onChange} />
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
        {EVENTS.map((event) => (
          <CheckboxField
            key={event}
            label={EVENT_WORDS[event]}
            value={chosen.includes(event)}
            onChange={(isChecked) =>
              onChange(isChecked ? [...chosen, event] : chosen.filter((each) => each !== event))
            }
          />
        ))}
      </div>
    </fieldset>
  )
}
