import { Link, type LinkOptions } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'

/** Leads from the page of one thing to the list of all. */
export function BackLink({ link, children }: { link: LinkOptions; children: string }) {
  return (
    <Link {...link} className="flex items-center gap-1 text-sm">
      <ArrowLeft aria-hidden className="size-4" />
      {children}
    </Link>
  )
}
