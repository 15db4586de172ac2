import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { withKey } from '../../parts/key-field'

export interface Secret {
  label: string
  text: string
}

interface Manage {
  /** The admin's key that was typed on the page; empty until then. */
  key: string
  /** Shows a secret until the user is done with it. */
  showOnce: (secret: Secret) => void
}

export const ManageContext = createContext<Manage>({ key: '', showOnce: () => undefined })

export function useShowOnce(): Manage['showOnce'] {
  return useContext(ManageContext).showOnce
}

/** The key of every change of these pages. */
export const CHANGE = ['manage']

export function useHasAdminKey(): boolean {
  return useContext(ManageContext).key.trim() !== ''
}

export type KeyHeaders = ReturnType<typeof withKey>

/** Sends a change with the typed key. Then it reads again what the page shows, also after an error: the service may have made the change. */
export function useChange<Output>(
  change: (options: KeyHeaders) => Promise<Output>,
  onDone: (output: Output) => void = () => undefined,
) {
  const { key } = useContext(ManageContext)
  const queryClient = useQueryClient()
  return useMutation({
    mutationKey: CHANGE,
    mutationFn: async () => change(withKey(key)),
    onSuccess: onDone,
    onSettled: () => queryClient.invalidateQueries(),
    // The mutation holds the admin's key and the new one.
    gcTime: 0,
    // By default, a change without a network waits, and is sent later.
    networkMode: 'always',
  })
}
