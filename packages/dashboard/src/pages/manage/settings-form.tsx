import type { Settings } from '@runledger/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { settingsQuery } from '../../api/manage'
import { service } from '../../api/service'
import { CheckboxField, NumberField, TextField } from '../../ui/field'
import { ChangeForm } from './change-form'
import { useChange } from './manage-context'
import { MAX_DAYS, RetentionRules } from './retention-rules'
import { applyEdits, dropSame, type Edits, listChanges, mayDeleteRuns, NO_EDITS } from './settings-changes'

const CONFIRMATION = 'delete runs'

const CREATED = {
  'auto_create.part': 'Parts',
  'auto_create.revision': 'Revisions',
  'auto_create.unit': 'Units',
  'auto_create.batch': 'Batches',
  'auto_create.version': 'Versions of projects',
} as const

/** Sends only what was changed here, so that it overwrites no other change. */
export function SettingsForm({ settings }: { settings: Settings }) {
  const { edits, setEdits, typed, setTyped, mayDelete, isUnchanged, change } = useEdits(settings)
  const draft = applyEdits(settings, edits)
  const set = (changed: Partial<Settings>) =>
    setEdits({ ...edits, settings: { ...edits.settings, ...changed } })
  const cancel = () => {
    setEdits(NO_EDITS)
    change.reset()
  }
  return (
    <ChangeForm
      label="Settings"
      word="Save"
      isIncomplete={isUnchanged || (mayDelete && typed !== CONFIRMATION)}
      change={change}
      opener={undefined}
      onCancel={cancel}
      className="rounded-lg border border-line bg-surface"
    >
      <UnitSettings draft={draft} onChange={set} />
      <Group title="Deletion of old runs">
        <div className="flex">
          <NumberField
            label="Days after which a run is deleted; empty for never"
            value={draft['retention.days'] ?? Number.NaN}
            onChange={(days) => set({ 'retention.days': Number.isNaN(days) ? null : days })}
            min={1}
            max={MAX_DAYS}
          />
        </div>
        <RetentionRules
          rules={draft['retention.days_by_procedure']}
          onChange={(rules) => setEdits({ ...edits, rules: { ...edits.rules, ...rules } })}
        />
        {mayDelete && <Confirmation value={typed} onChange={setTyped} />}
      </Group>
      <OrganisationSettings draft={draft} onChange={set} />
    </ChangeForm>
  )
}

/** The edits of the form, the typed confirmation, and the change that saves them. */
function useEdits(settings: Settings) {
  const [edits, setEdits] = useState(NO_EDITS)
  const [typed, setTyped] = useState('')
  const queryClient = useQueryClient()
  const show = (current: Settings) => queryClient.setQueryData(settingsQuery.queryKey, current)
  const send = async () => {
    // Somebody else may have changed them since the page read them.
    const now = await service.getSettings({})
    show(now)
    if (mayDeleteRuns(now, edits) && typed !== CONFIRMATION)
      throw new Error('The retention was changed meanwhile. Look at it again.')
    return service.updateSettings({ body: listChanges(now, edits) })
  }
  const change = useChange(send, (saved) => {
    show(saved)
    // Keeps what the user edited while the request was sent.
    setEdits((current) => dropSame(saved, current))
    setTyped('')
  })
  const isUnchanged = Object.keys(listChanges(settings, edits)).length === 0
  useBlocker({
    disabled: isUnchanged,
    enableBeforeUnload: !isUnchanged,
    shouldBlockFn: ({ next: { pathname } }) =>
      pathname !== '/sign-in' && !window.confirm('The settings are not saved. Leave the page?'),
  })
  const edit = (next: Edits) => {
    setEdits(next)
    setTyped('')
  }
  return {
    edits,
    setEdits: edit,
    typed,
    setTyped,
    mayDelete: mayDeleteRuns(settings, edits),
    isUnchanged,
    change,
  }
}

function Confirmation({ value, onChange }: { value: string; onChange: (typed: string) => void }) {
  return (
    <div className="flex">
      <TextField
        label={`Older runs are deleted with their files, and cannot be restored. Type "${CONFIRMATION}" to go on`}
        value={value}
        onChange={onChange}
        isOptional
      />
    </div>
  )
}

interface PartProps {
  draft: Settings
  onChange: (change: Partial<Settings>) => void
}

function UnitSettings({ draft, onChange }: PartProps) {
  return (
    <>
      <Group title="Units of a line">
        <div className="flex flex-wrap items-end gap-3">
          <TextField
            label="Pattern of serial numbers (RE2) with a group part_number, revision_number or batch_number"
            value={draft['serial_number.pattern'] ?? ''}
            onChange={(pattern) => onChange({ 'serial_number.pattern': pattern || null })}
            maxLength={255}
            isOptional
          />
          <TextField
            label="Part of units without one"
            value={draft['default_component.number']}
            onChange={(number) => onChange({ 'default_component.number': number })}
          />
          <TextField
            label="Revision of parts without one"
            value={draft['default_revision.number']}
            onChange={(number) => onChange({ 'default_revision.number': number })}
          />
        </div>
        <CheckboxField
          label="Accept units without a part, and use the part above"
          value={draft['default_component.enabled']}
          onChange={(isOn) => onChange({ 'default_component.enabled': isOn })}
        />
      </Group>
      <Group title="Created when a run first names them">
        <div className="flex flex-wrap gap-x-5 gap-y-1">
          {Object.entries(CREATED).map(([name, label]) => (
            <CheckboxField
              key={name}
              label={label}
              value={draft[name as keyof typeof CREATED]}
              onChange={(isOn) => onChange({ [name]: isOn })}
            />
          ))}
        </div>
      </Group>
    </>
  )
}

function OrganisationSettings({ draft, onChange }: PartProps) {
  return (
    <Group title="Organisation">
      <div className="flex flex-wrap gap-3">
        <NumberField
          label="Most new runs in a month; empty for any number"
          value={draft['limits.runs_per_month'] ?? Number.NaN}
          onChange={(runs) => onChange({ 'limits.runs_per_month': Number.isNaN(runs) ? null : runs })}
          min={0}
          max={Number.MAX_SAFE_INTEGER}
        />
        <TextField
          label="Short name, which some clients show in addresses"
          value={draft['organization.slug']}
          onChange={(slug) => onChange({ 'organization.slug': slug })}
          maxLength={63}
        />
      </div>
    </Group>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="flex flex-col gap-2 border-b border-line pb-3">
      <legend className="mb-1 font-semibold">{title}</legend>
      {children}
    </fieldset>
  )
}
