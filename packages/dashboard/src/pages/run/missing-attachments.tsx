import { FileX } from 'lucide-react'
import { Card } from '../../ui/card'

/** The attachments that the client said belong to the run and that have not come. */
export function MissingAttachments({ names, isArriving }: { names: string[]; isArriving: boolean }) {
  return (
    <Card title="Declared, not received">
      <p className="px-4 pt-3 text-sm text-soft">
        {isArriving
          ? 'These attachments were announced and may still be on their way. This page looks for them by itself.'
          : 'These attachments were announced with the run and never arrived.'}
      </p>
      <ul className="flex flex-col gap-1 p-4">
        {names.map((name, index) => (
          <li key={`${index} ${name}`} className="flex items-baseline gap-2 wrap-anywhere">
            <FileX aria-hidden className="size-4 shrink-0 self-center text-warn" />
            {name}
          </li>
        ))}
      </ul>
    </Card>
  )
}
