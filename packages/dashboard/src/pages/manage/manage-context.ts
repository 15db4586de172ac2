import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { queryKeys } from '../../api/query-keys'
import { withKey } from '../../parts/key-field'

export interface Secret {
  label: string
  text: string
}

interface Manage {
  /** The admin's key that was typed on the page; empty until then. */
  key: string
  /** Shows what the service does not show again. */
  showOnce: (secret: Secret) => void
}

export const ManageContext = createContext<Manage>({ key: '', showOnce: () => undefined })

export function useShowOnce(): Manage['showOnce'] {
  return useContext(ManageContext).showOnce
}

export function useHasAdminKey(): boolean {
  return useContext(ManageContext).key.trim() !== ''
}

export type KeyHeaders = ReturnType<typeof withKey>

/** A change with the typed key. The lists are read again whatever comes of it: without an answer, it may have been done. */
export function useChange<Output>(
  change: (options: KeyHeaders) => Promise<Output>,
  onDone: (output: Output) => void = () => undefined,
) {
  const { key } = useContext(ManageContext)
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async () => change(withKey(key)),
    onSuccess: onDone,
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.managed() }),
    // Both keys are in its memory.
    gcTime: 0,
    // Otherwise a change would wait for the network and then be sent unasked.
    networkMode: 'always',
  })
}
