/** Grey lines where rows will be. */
export function Loading({ label, rows = 6 }: { label: string; rows?: number }) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-3 p-4 motion-safe:animate-pulse">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="h-6 rounded bg-sunken" />
      ))}
    </div>
  )
}
