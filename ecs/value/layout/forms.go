package layout

// Forms tells how a value of a result may look besides its ordinary JSON type
// ([Field.JSONType]). A schema that answers are held to must allow them: a
// client throws away an answer that breaks it.
type Forms struct {
	Null      bool // no entity, a nil pointer, nil bytes
	Digits    bool // an integer beyond 2^53-1, as text
	NotFinite bool // "NaN", "Infinity", "-Infinity"
	Number    bool // a labelled integer that has no label
	Text      bool // always text: the option ",string" of a JSON tag
	Any       bool // text or number: json.Number
	Cut       bool // {"$ref":path} or {"$more":n}, where a graph of pointers was cut
}

// ResultForms gives the forms of a field of a type from [ArgsOf], as AppendJSON
// with [EncodeOptions].JSON writes it. Any goroutine.
func (f *Field) ResultForms() Forms {
	omitted := f.opts.omitEmpty || f.opts.omitZero
	wide := f.Go != nil && f.Go.Size() == 8
	switch f.Kind {
	case KindBool:
		return Forms{Text: f.opts.quoted}
	case KindInt, KindUint:
		return Forms{Digits: wide, Text: f.opts.quoted}
	case KindFloat:
		return Forms{NotFinite: true, Text: f.opts.quoted}
	case KindEnum:
		return Forms{Number: true, Digits: wide}
	case KindString:
		return Forms{Any: f.Go == NumberType}
	case KindEntity:
		return Forms{Null: !f.opts.omitZero}
	case KindBytes:
		return Forms{Null: !omitted}
	case KindPointer:
		return Forms{Null: !omitted, Cut: Of(f.Go.Elem()).Deep}
	case KindSlice, KindMap:
		return Forms{Cut: Of(f.Go.Elem()).Deep}
	}
	return Forms{}
}
