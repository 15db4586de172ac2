import type { TestDetail } from '@runledger/protocol'
import { firstLine } from '@runledger/presentation'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { quarantineQuery } from '../../api/quarantine'
import { queryKeys } from '../../api/query-keys'
import { service } from '../../api/service'
import { addDays, DaysField, QuarantineEntries } from '../../parts/quarantine-entries'
import { Button } from '../../ui/button'
import { Card } from '../../ui/card'
import { SelectField, TextField } from '../../ui/field'

/** The live entries of the test, and a form for another one. */
export function Quarantine({ test }: { test: TestDetail }) {
  const { data, error } = useQuery(quarantineQuery({ test_ids: test.id }))
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Card title="Quarantine">
      {data?.data.length === 0 && (
        <p className="px-4 py-3 text-sm text-soft">
          Not in quarantine. An entry lets executions that ask for it pass although this test fails with a
          known error.
        </p>
      )}
      {error && <p className="px-4 py-3 text-sm text-bad">Its entries could not be read: {error.message}</p>}
      {data && <QuarantineEntries entries={data.data} />}
      <details
        className="border-t border-line px-4 py-2 text-sm"
        open={isOpen}
        onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      >
        <summary className="text-soft hover:text-ink">Quarantine this test</summary>
        {isOpen && <AddForm test={test} onDone={() => setIsOpen(false)} />}
      </details>
    </Card>
  )
}

const ANY = 'any'

interface AddFormProps {
  test: TestDetail
  onDone: () => void
}

function AddForm({ test, onDone }: AddFormProps) {
  const queryClient = useQueryClient()
  const [error, setError] = useState(findLastError(test))
  const [owner, setOwner] = useState(test.owner ?? '')
  const [reason, setReason] = useState('')
  const [link, setLink] = useState('')
  const [days, setDays] = useState(14)
  const add = useMutation({
    mutationFn: () => {
      const body = { test_id: test.id, owner, reason, link: link.trim() || null, ends_at: addDays(days) }
      const of = error === ANY ? { any_error: true } : { fingerprint: error }
      return service.addToQuarantine({ body: { ...body, ...of } })
    },
    onSuccess: async () => {
      onDone()
      await queryClient.invalidateQueries({ queryKey: queryKeys.quarantine() })
    },
  })
  return (
    <form
      aria-label="Quarantine this test"
      className="mt-2 flex flex-col gap-3 pb-2"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate()
      }}
    >
      <div className="flex">
        <ErrorField errors={test.errors} value={error} onChange={setError} />
      </div>
      <div className="flex flex-wrap gap-3">
        <TextField label="Owner, such as @cart-team" value={owner} onChange={setOwner} maxLength={255} />
        <TextField label="Reason" value={reason} onChange={setReason} maxLength={2000} />
        <TextField
          label="Link to an issue, if there is one"
          type="url"
          value={link}
          onChange={setLink}
          isOptional
        />
      </div>
      <div className="flex flex-wrap items-end gap-3">
        <DaysField days={days} onChange={setDays} />
        <Button type="submit" look="primary" disabled={add.isPending}>
          Quarantine
        </Button>
      </div>
      {add.error && (
        <p role="alert" className="text-bad">
          Not added: {add.error.message}
        </p>
      )}
    </form>
  )
}

/** The fingerprint of the last failure; without one nothing, so that any error is a choice. */
function findLastError({ results_list: results, errors }: TestDetail): string {
  const isKnown = (wanted: string | null) => errors.some(({ fingerprint }) => fingerprint === wanted)
  const last = results.findLast(({ fingerprint }) => isKnown(fingerprint))?.fingerprint
  return last ?? errors[0]?.fingerprint ?? ''
}

interface ErrorFieldProps {
  errors: TestDetail['errors']
  value: string
  onChange: (value: string) => void
}

function ErrorField({ errors, value, onChange }: ErrorFieldProps) {
  const options = [
    ...(errors.length === 0 ? [{ value: '', text: 'Choose one' }] : []),
    ...errors.map(({ fingerprint, message }) => ({ value: fingerprint, text: firstLine(message) })),
    { value: ANY, text: 'Any error, also new ones' },
  ]
  return <SelectField label="With which error" value={value} options={options} onChange={onChange} />
}
