export function FirstError({ message }: { message: string | undefined }) {
  if (!message) return null
  return (
    <span className="line-clamp-3 font-mono text-sm whitespace-pre-wrap wrap-anywhere text-bad">
      {message.trim().replaceAll(/\n\s*\n/g, '\n')}
    </span>
  )
}
