import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'

export interface Secret {
  label: string
  text: string
}

/** Shows a secret until the user is done with it. */
type ShowOnce = (secret: Secret) => void

export const ShowOnceContext = createContext<ShowOnce>(() => undefined)

export function useShowOnce(): ShowOnce {
  return useContext(ShowOnceContext)
}

/** The key of every change of these pages. */
const CHANGE = ['manage']

/** Whether the service has not yet answered a change. */
export function useIsChanging(): boolean {
  return useIsMutating({ mutationKey: CHANGE }) > 0
}

/** Sends a change. Then it reads again what the page shows, also after an error: the service may have made the change. */
export function useChange<Output>(
  change: () => Promise<Output>,
  onDone: (output: Output) => void = () => undefined,
) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationKey: CHANGE,
    mutationFn: change,
    onSuccess: onDone,
    onSettled: () => {
      void queryClient.invalidateQueries()
    },
    // The mutation holds the new key.
    gcTime: 0,
    // By default, a change without a network waits, and is sent later.
    networkMode: 'always',
  })
}
