import type { RunListItem } from '@runledger/protocol'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Camera, StickyNote } from 'lucide-react'
import { useId, useState } from 'react'
import { addNote, type AtStation, attachPhoto } from '../../api/bench'
import { queryKeys } from '../../api/query-keys'
import { Button } from '../../ui/button'

const FIELD = 'min-h-9 w-full rounded-md border border-soft bg-surface px-2'

/** Adds a photo or note of the station to the last run. A draft stays with its run when another arrives. */
export function AttachForm({ run: last, at }: { run: RunListItem; at: AtStation }) {
  const { draft, run, change, attach } = useDraft(last, at)
  const id = useId()
  return (
    <details className="border-t border-line">
      <summary className="px-4 py-2.5 text-soft wrap-anywhere hover:text-ink">
        Attach a photo or a note to{' '}
        {run.id === last.id ? 'this run' : `the earlier run of ${run.unit.serial_number}`}
      </summary>
      <form
        className="flex flex-col gap-3 px-4 pb-4 text-sm"
        onSubmit={(event) => {
          event.preventDefault()
          attach.mutate()
        }}
      >
        <div>
          <label htmlFor={`${id}photo`} className="flex items-center gap-1">
            <Camera aria-hidden className="size-4" /> Photo
          </label>
          <input
            key={draft.attachedPhotos}
            id={`${id}photo`}
            type="file"
            accept="image/*"
            disabled={attach.isPending}
            capture="environment"
            onChange={({ target }) => change({ photo: target.files?.[0] })}
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
            disabled={attach.isPending}
            value={draft.note}
            onChange={({ target }) => change({ note: target.value })}
            className={`mt-1 ${FIELD}`}
          />
        </div>
        <Button type="submit" look="primary" disabled={attach.isPending || isEmpty(draft)}>
          {attach.isPending ? 'Sending…' : 'Attach'}
        </Button>
        <Result {...attach} />
      </form>
    </details>
  )
}

interface Draft {
  note: string
  photo?: File | undefined
  /** Photos that were attached: the field is made anew after each, since a page cannot empty it. */
  attachedPhotos: number
}

const NOTHING: Draft = { note: '', attachedPhotos: 0 }

const isEmpty = ({ note, photo }: Draft) => !photo && note.trim() === ''

/** A draft and its run: the last one when the draft was begun. */
function useDraft(last: RunListItem, { key }: AtStation) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState(NOTHING)
  const [begunFor, setBegunFor] = useState<RunListItem>()
  const run = begunFor ?? last
  const attach = useMutation({
    mutationFn: async () => {
      if (draft.photo) {
        await attachPhoto(run.id, draft.photo, key)
        setDraft({ note: draft.note, attachedPhotos: draft.attachedPhotos + 1 })
      }
      if (draft.note.trim() !== '') await addNote(run.id, draft.note.trim(), key)
      return run.unit.serial_number
    },
    onSuccess: async () => {
      setDraft(({ attachedPhotos }) => ({ ...NOTHING, attachedPhotos }))
      setBegunFor(undefined)
      await queryClient.invalidateQueries({ queryKey: queryKeys.allUnits() })
    },
  })
  const change = (part: Partial<Draft>) => {
    const next = { ...draft, ...part }
    setDraft(next)
    setBegunFor(isEmpty(next) ? undefined : run)
    attach.reset()
  }
  return { draft, run, change, attach }
}

function Result({ data: serialNumber, error }: { data: string | undefined; error: Error | null }) {
  return (
    <p role="status" className="wrap-anywhere">
      {serialNumber !== undefined && `Attached to the run of ${serialNumber}.`}
      {error && <span className="text-bad">Not attached: {error.message}</span>}
    </p>
  )
}
