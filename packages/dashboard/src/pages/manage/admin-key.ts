import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { queryKeys } from '../../api/query-keys'
import { withKey } from '../../parts/key-field'

/** The key that was typed on the page; empty until then. */
export const AdminKeyContext = createContext('')

export function useHasAdminKey(): boolean {
  return useContext(AdminKeyContext).trim() !== ''
}

/** A change with the typed key, after which the lists are read again. */
export function useChange<Input, Output>(
  change: (input: Input, options: ReturnType<typeof withKey>) => Promise<Output>,
  onDone: (output: Output) => void = () => undefined,
) {
  const key = useContext(AdminKeyContext)
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => change(input, withKey(key)),
    onSuccess: async (output) => {
      onDone(output)
      await queryClient.invalidateQueries({ queryKey: queryKeys.managed() })
    },
  })
}
