/** What went wrong before. */
export function Problem({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p role="alert" className="rounded-md bg-warn-tint px-3 py-2 text-sm text-warn">
      {text}
    </p>
  )
}
