import * as z from 'zod'
import * as core from 'zod/v4/core'

interface Definition extends core.$ZodObjectDef {
  instead: Readonly<Record<string, string>>
}

const RefusingObject: core.$constructor<z.ZodObject, Definition> = core.$constructor(
  'RefusingObject',
  (object, definition) => {
    z.ZodObject.init(object, definition)
    const parse = object._zod.parse
    const names = Object.keys(definition.instead)
    object._zod.parse = (payload, context) => {
      const sent = payload.value
      if (typeof sent === 'object' && sent !== null) {
        for (const name of names) {
          if (((sent as Record<string, unknown>)[name] ?? null) === null || !Object.hasOwn(sent, name))
            continue
          const message = `is not taken here: ${definition.instead[name]}`
          payload.issues.push({ code: 'custom', message, path: [name], input: sent, inst: object })
        }
      }
      return payload.issues.length > 0 ? payload : parse(payload, context)
    }
  },
)

/**
 * An object that refuses members which mean something elsewhere in the interface, each with what to send `instead`: they
 * would be dropped behind a 200. Other unknown members are ignored, and null stands for none (docs/interface.md#known-members).
 */
export function refusing<Shape extends z.ZodRawShape>(
  shape: Shape,
  instead: Readonly<Record<string, string>>,
): z.ZodObject<Shape> {
  return new RefusingObject({ type: 'object', shape, instead }) as z.ZodObject as z.ZodObject<Shape>
}
