import type { ReactNode } from 'react'

/** Leads to another site, in a window of its own. */
export function OutLink({ address, children }: { address: string; children: ReactNode }) {
  return (
    <a href={address} rel="noreferrer noopener" target="_blank">
      {children}
    </a>
  )
}
