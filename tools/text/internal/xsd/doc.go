// Package xsd writes the XML form of calls as an XML Schema 1.0: the element
// of each tool, with ranges, labels and patterns, and the documentation as
// annotations.
//
// It accepts what the checks accept, in the form that the conventions teach.
// What XML Schema 1.0 cannot say is left to the checks: that at least one of
// several optional attributes is given, and patterns of texts that use more
// than XML Schema's regular expressions know.
package xsd
