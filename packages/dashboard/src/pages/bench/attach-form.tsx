import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Camera, StickyNote } from 'lucide-react'
import { useId, useState } from 'react'
import { type AtStation, attachPhoto, setNote } from '../../api/bench'
import { queryKeys } from '../../api/query-keys'
import { Button } from '../../ui/button'

const FIELD = 'min-h-9 w-full rounded-md border border-soft bg-surface px-2'

/** Adds a photo or a note to a run, in the name of the station. */
export function AttachForm({ runId, at: { key } }: { runId: string; at: AtStation }) {
  const queryClient = useQueryClient()
  const [note, writeNote] = useState('')
  const [photo, setPhoto] = useState<File>()
  const id = useId()
  const change = useMutation({
    mutationFn: async () => {
      if (photo) await attachPhoto(runId, photo, key)
      setPhoto(undefined)
      if (note.trim() !== '') await setNote(runId, note.trim(), key)
    },
    onSuccess: async () => {
      writeNote('')
      await queryClient.invalidateQueries({ queryKey: queryKeys.allUnits() })
    },
  })
  return (
    <details className="border-t border-line">
      <summary className="px-4 py-2.5 text-soft hover:text-ink">Attach a photo or a note to this run</summary>
      <form
        className="flex flex-col gap-3 px-4 pb-4 text-sm"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate()
        }}
      >
        <div>
          <label htmlFor={`${id}photo`} className="flex items-center gap-1">
            <Camera aria-hidden className="size-4" /> Photo
          </label>
          <input
            key={change.submittedAt}
            id={`${id}photo`}
            type="file"
            accept="image/*"
            capture="environment"
            onChange={({ target }) => setPhoto(target.files?.[0])}
            className="mt-1 w-full"
          />
        </div>
        <div>
          <label htmlFor={id} className="flex items-center gap-1">
            <StickyNote aria-hidden className="size-4" /> Note
          </label>
          <input
            id={id}
            maxLength={1000}
            value={note}
            onChange={({ target }) => writeNote(target.value)}
            className={`mt-1 ${FIELD}`}
          />
        </div>
        <Button type="submit" look="primary" disabled={change.isPending || (!photo && note.trim() === '')}>
          {change.isPending ? 'Sending…' : 'Attach'}
        </Button>
        <Result {...change} />
      </form>
    </details>
  )
}

function Result({ isSuccess, error }: { isSuccess: boolean; error: Error | null }) {
  return (
    <p role="status">
      {isSuccess && 'Attached.'}
      {error && <span className="text-bad">Not attached: {error.message}</span>}
    </p>
  )
}
