import { Fragment, type ReactNode } from 'react'

/** Parts of a line with the same text between them. */
export function Joined({ parts, by = ', ' }: { parts: readonly ReactNode[]; by?: string }) {
  return parts.map((part, index) => (
    <Fragment key={index}>
      {index > 0 && by}
      {part}
    </Fragment>
  ))
}
