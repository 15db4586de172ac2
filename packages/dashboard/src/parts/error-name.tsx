import { firstLine } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { errorLink } from '../history-links'
import { ROW_LINK } from '../navigation/keys'

interface ErrorNameProps {
  error: { fingerprint: string; message: string }
  className?: string
}

export function ErrorName({ error: { fingerprint, message }, className = '' }: ErrorNameProps) {
  return (
    <Link
      {...errorLink(fingerprint)}
      {...ROW_LINK}
      className={`min-w-0 font-mono text-sm wrap-anywhere text-bad ${className}`}
    >
      {firstLine(message)}
    </Link>
  )
}
