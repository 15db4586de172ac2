/** Grey lines where rows will be. They are as high as those, so that nothing moves when the rows come. */
export function Loading({
  label,
  rows = 6,
  rowClass = 'h-6',
}: {
  label: string
  rows?: number
  rowClass?: string
}) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-3 p-4 motion-safe:animate-pulse">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={`${rowClass} rounded bg-line`} />
      ))}
    </div>
  )
}
