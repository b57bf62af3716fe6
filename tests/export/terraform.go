// Checks Terraform files with HashiCorp's own parser: terraform SCHEMA FILE... The schema lists the arguments of each
// resource as its provider documents them, required ones with "!". Prints what is wrong and ends with 1 if anything is.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

type resources map[string][]string

// Every argument of a body by its path: "boot_disk.initialize_params.size".
func paths(body *hclsyntax.Body, prefix string, found map[string]bool) {
	for name := range body.Attributes {
		found[prefix+name] = true
	}
	for _, block := range body.Blocks {
		if block.Type == "dynamic" { // as many blocks of that name as for_each has
			for _, content := range block.Body.Blocks {
				paths(content.Body, prefix+block.Labels[0]+".", found)
			}
			continue
		}
		paths(block.Body, prefix+block.Type+".", found)
	}
}

// What expressions name must be there: variables, and resources by type and name.
func references(body *hclsyntax.Body, known map[string]bool, say func(string)) {
	for _, attribute := range body.Attributes {
		for _, traversal := range attribute.Expr.Variables() {
			root := traversal.RootName()
			if root == "count" || root == "self" || len(traversal) < 2 {
				continue
			}
			if step, ok := traversal[1].(hcl.TraverseAttr); ok && !known[root+"."+step.Name] {
				say("nothing is called " + root + "." + step.Name)
			}
		}
	}
	for _, block := range body.Blocks {
		if block.Type == "dynamic" {
			known[block.Labels[0]+".value"] = true
		}
		references(block.Body, known, say)
	}
}

func check(file string, schema resources, say func(string)) {
	parsed, problems := hclparse.NewParser().ParseHCLFile(file)
	if problems.HasErrors() {
		say(problems.Error())
		return
	}
	body := parsed.Body.(*hclsyntax.Body)
	count := map[string]int{}
	known := map[string]bool{}
	for _, block := range body.Blocks {
		count[block.Type]++
		switch block.Type {
		case "variable":
			known["var."+block.Labels[0]] = true
			if block.Body.Attributes["description"] == nil || block.Body.Attributes["type"] == nil {
				say("variable " + block.Labels[0] + " has no type or no description")
			}
		case "resource":
			known[block.Labels[0]+"."+block.Labels[1]] = true
		case "data":
			known["data."+block.Labels[0]] = true
		case "locals":
			for name := range block.Body.Attributes {
				known["local."+name] = true
			}
		}
	}
	for _, kind := range []string{"terraform", "provider", "resource"} {
		if count[kind] == 0 {
			say("there is no block " + kind)
		}
	}
	for _, block := range body.Blocks {
		if block.Type == "variable" {
			continue
		}
		references(block.Body, known, say)
		if block.Type != "resource" {
			continue
		}
		arguments, there := schema[block.Labels[0]]
		if !there {
			say("no such resource: " + block.Labels[0])
		}
		found := map[string]bool{}
		paths(block.Body, "", found)
		documented := map[string]bool{}
		for _, argument := range arguments {
			name := strings.TrimPrefix(argument, "!")
			documented[name] = true
			if name != argument && !found[name] {
				say(block.Labels[0] + " has no " + name)
			}
		}
		for name := range found {
			if !documented[name] {
				say(block.Labels[0] + " has no argument " + name)
			}
		}
	}
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &raw); err != nil {
		panic(err)
	}
	schema := resources{}
	for name, value := range raw {
		var arguments []string
		if json.Unmarshal(value, &arguments) == nil {
			schema[name] = arguments
		}
	}
	wrong := false
	for _, file := range os.Args[2:] {
		check(file, schema, func(what string) {
			wrong = true
			fmt.Println(file + ": " + what)
		})
	}
	if wrong {
		os.Exit(1)
	}
	fmt.Printf("%d files are as they should be\n", len(os.Args)-2)
}
